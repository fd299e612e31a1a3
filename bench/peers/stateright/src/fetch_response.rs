//! models/fetch_response.py.

use crate::constants::Constants;
use stateright::{Model, Property};
use std::hash::{Hash, Hasher};

/// The most partitions that a state has room for.
const MOST: usize = 4;

#[derive(Clone, Debug)]
pub struct FetchResponse {
    partitions: u8,
    max_backlog: u8,
    message_bytes: u8,
    limit: u8,
    partition_limit: u8,
}

/// Sets are bits by partition; of a list the first items count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    order: [u8; MOST],
    backlog: [u8; MOST],
    taken: [u8; MOST],
    waited: [u8; MOST],
    to_visit: [u8; MOST],
    /// How many partitions are left to visit; `NOT_BEGUN` between responses.
    left: u8,
    changed: u8,
    reported: u8,
    due: u8,
}

const NOT_BEGUN: u8 = 7;

impl Hash for State {
    /// All of it in three words: the derived hash takes each field by itself, and is slower.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let two = |one: [u8; MOST], other: [u8; MOST]| {
            u64::from(u32::from_le_bytes(one)) | u64::from(u32::from_le_bytes(other)) << 32
        };
        let sets = [self.left, self.changed, self.reported, self.due];
        hasher.write_u64(two(self.order, self.backlog));
        hasher.write_u64(two(self.taken, self.waited));
        hasher.write_u64(two(self.to_visit, sets));
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Append(u8),
    ChangeOffsets(u8),
    BeginResponse,
    ReadRecords(u8),
    ReportChange(u8),
    PassOver(u8),
    FinishResponse,
}

impl FetchResponse {
    pub fn new(constants: &Constants) -> Self {
        let number = |name| u8::try_from(constants.get(name)).expect("a small number");
        let model = FetchResponse {
            partitions: number("PARTITIONS"),
            max_backlog: number("MAX_BACKLOG"),
            message_bytes: number("MESSAGE_BYTES"),
            limit: number("LIMIT"),
            partition_limit: number("PARTITION_LIMIT"),
        };
        assert!(usize::from(model.partitions) <= MOST);
        model
    }

    fn messages(s: &State) -> u8 {
        s.taken.iter().sum()
    }

    /// How many messages of a partition go into the response.
    fn readable(&self, s: &State, p: u8) -> u8 {
        let in_all = Self::messages(s);
        let room = self.limit.saturating_sub(in_all * self.message_bytes) / self.message_bytes;
        let most = room.min(self.partition_limit / self.message_bytes);
        let waiting = s.backlog[usize::from(p)];
        if waiting > 0 && in_all == 0 && most == 0 {
            1
        } else {
            waiting.min(most)
        }
    }

    fn to_the_tail(&self, order: &mut [u8; MOST], p: u8) {
        let list = &mut order[..usize::from(self.partitions)];
        if let Some(at) = list.iter().position(|&q| q == p) {
            list[at..].rotate_left(1);
        }
    }
}

/// The first partition of those left to visit is visited: what follows it moves up.
fn visited(s: &mut State) {
    s.to_visit.copy_within(1.., 0);
    s.to_visit[MOST - 1] = 0;
    s.left -= 1;
}

impl Model for FetchResponse {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut order = [0; MOST];
        for p in 0..self.partitions {
            order[usize::from(p)] = p;
        }
        let none = [0; MOST];
        vec![State {
            order,
            backlog: none,
            taken: none,
            waited: none,
            to_visit: none,
            left: NOT_BEGUN,
            changed: 0,
            reported: 0,
            due: 0,
        }]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        for p in 0..self.partitions {
            if s.backlog[usize::from(p)] < self.max_backlog {
                actions.push(Action::Append(p));
            }
            if s.changed >> p & 1 == 0 {
                actions.push(Action::ChangeOffsets(p));
            }
        }
        actions.push(match s.left {
            NOT_BEGUN => Action::BeginResponse,
            0 => Action::FinishResponse,
            _ => {
                let p = s.to_visit[0];
                if self.readable(s, p) > 0 {
                    Action::ReadRecords(p)
                } else if s.changed >> p & 1 == 1 {
                    Action::ReportChange(p)
                } else {
                    Action::PassOver(p)
                }
            }
        });
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let mut new = *s;
        match action {
            Action::Append(p) => new.backlog[usize::from(p)] += 1,
            Action::ChangeOffsets(p) => new.changed |= 1 << p,
            Action::BeginResponse => {
                new.to_visit = s.order;
                new.left = self.partitions;
                for p in 0..self.partitions {
                    new.due |= u8::from(s.backlog[usize::from(p)] > 0) << p;
                }
            }
            Action::ReadRecords(p) => {
                let read = self.readable(s, p);
                new.taken[usize::from(p)] = read;
                new.backlog[usize::from(p)] -= read;
                new.changed &= !(1 << p);
                self.to_the_tail(&mut new.order, p);
                visited(&mut new);
            }
            Action::ReportChange(p) => {
                new.changed &= !(1 << p);
                new.reported |= 1 << p;
                visited(&mut new);
            }
            Action::PassOver(_) => visited(&mut new),
            Action::FinishResponse => {
                for p in 0..usize::from(self.partitions) {
                    let is_left_out = s.due >> p & 1 == 1 && s.taken[p] == 0;
                    let waited = (s.waited[p] + 1).min(self.partitions);
                    new.waited[p] = if is_left_out { waited } else { 0 };
                }
                new.left = NOT_BEGUN;
                new.taken = [0; MOST];
                new.reported = 0;
                new.due = 0;
            }
        }
        Some(new)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("returns_at_least_one_message", |_, s: &State| {
                s.left != 0 || s.due == 0 || Self::messages(s) > 0
            }),
            Property::always("keeps_within_the_limit", |model: &Self, s: &State| {
                let messages = Self::messages(s);
                messages <= 1 || messages * model.message_bytes <= model.limit
            }),
            Property::always("keeps_within_the_partition_limit", |model: &Self, s: &State| {
                let bytes = model.message_bytes;
                s.taken.iter().all(|&n| n <= 1 || n * bytes <= model.partition_limit)
            }),
            Property::always(
                "waits_at_most_as_many_responses_as_there_are_others",
                |model: &Self, s: &State| s.waited.iter().all(|&n| n < model.partitions),
            ),
            Property::sometimes("a_partition_with_records_is_passed_over", |_, s: &State| {
                s.waited.iter().any(|&n| n > 0)
            }),
        ]
    }
}
