//! The models that `make bench` measures, for Stateright. What can be said of one state is checked;
//! Stateright has nothing for what must hold of a step.

mod constants;
mod fetch_response;
mod fetch_session;

use constants::Constants;
use stateright::{Checker, Model};
use std::hash::Hash;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let model = arguments.next().unwrap_or_default();
    let constants = Constants::parse(arguments);
    match model.as_str() {
        "fetch_response" => explore(fetch_response::FetchResponse::new(&constants)),
        "fetch_session" => explore(fetch_session::FetchSession::new(&constants)),
        _ => {
            eprintln!("usage: stateright-peer fetch_response|fetch_session NAME=VALUE...");
            std::process::exit(2);
        }
    }
}

/// Search every state by two threads, breadth first, and print what was found.
fn explore<M>(model: M)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Hash + PartialEq + Send + Sync + std::fmt::Debug + 'static,
    M::Action: Clone + PartialEq + std::fmt::Debug,
{
    let bytes = std::mem::size_of::<M::State>();
    let checker = model.checker().threads(2).spawn_bfs().join();
    println!("states {}", checker.unique_state_count());
    // Stateright counts the initial state among those generated.
    println!("transitions {}", checker.state_count() - 1);
    println!("bytes {bytes}");
    for property in checker.model().properties() {
        let found = checker.discovery(property.name).is_some();
        let is_goal = property.expectation == stateright::Expectation::Sometimes;
        if found != is_goal {
            println!("violated {}", property.name);
        }
    }
}
