//! The constants of a scope, as `NAME=VALUE` on the command line.

use std::collections::HashMap;

/// Whole numbers by name; of a tuple, how many items it has.
pub struct Constants(HashMap<String, i32>);

impl Constants {
    /// Ends the process when an argument is not `NAME=VALUE`.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Self {
        Constants(arguments.map(|text| Self::pair(&text)).collect())
    }

    fn pair(text: &str) -> (String, i32) {
        let parsed = text
            .split_once('=')
            .and_then(|(name, value)| Some((name.to_string(), value.parse().ok()?)));
        parsed.unwrap_or_else(|| {
            eprintln!("{text} is not NAME=VALUE with a whole number");
            std::process::exit(2)
        })
    }

    /// The value of a constant; ends the process when it was not given.
    pub fn get(&self, name: &str) -> i32 {
        *self.0.get(name).unwrap_or_else(|| {
            eprintln!("the constant {name} is missing");
            std::process::exit(2)
        })
    }
}
