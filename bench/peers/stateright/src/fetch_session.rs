//! models/fetch_session.py with one consumer and one partition.

use crate::constants::Constants;
use stateright::{Model, Property};
use std::hash::{Hash, Hasher};

/// The most session ids that a state has room for.
const MOST: usize = 2;

const NO_SESSION: u8 = 0;
const INITIAL: i8 = 0;
const FINAL: i8 = -1;
const UNKNOWN: i8 = -1;

#[derive(Clone, Debug)]
pub struct FetchSession {
    ids: u8,
    max_epoch: i8,
    max_offset: i8,
    max_failures: u8,
    max_disturbances: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    None,
    IdNotFound,
    InvalidEpoch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    session_id: u8,
    epoch: i8,
}

const FRESH: Metadata = Metadata { session_id: NO_SESSION, epoch: INITIAL };

/// The fetch offset; the other fields of a request have one value in these scopes.
type Interest = i8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    metadata: Metadata,
    partition: Option<Interest>,
    forgotten: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    failed: bool,
    high_watermark: i8,
    log_start: i8,
    records: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    error: Error,
    session_id: u8,
    partition: Option<Answer>,
    throttled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cached {
    interest: Interest,
    high_watermark: i8,
    log_start: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    epoch: i8,
    partition: Option<Cached>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    high_watermark: i8,
    log_start: i8,
    records: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    log_start: i8,
    high_watermark: i8,
    log_end: i8,
    failing: bool,
    failures: u8,
    sessions: [Option<Session>; MOST],
    request: Option<Request>,
    stray: Option<Request>,
    response: Option<Response>,
    metadata: Metadata,
    pending: bool,
    fetching: Option<Interest>,
    reported: Option<Reported>,
    disturbances: u8,
}

/// Gathers fields into one number.
#[derive(Default)]
struct Packer(u128);

impl Packer {
    fn add(&mut self, bits: u32, value: i8) {
        self.0 = self.0 << bits | u128::from((value + 1) as u8);
    }

    fn request(&mut self, request: Option<Request>) {
        self.add(1, request.is_some() as i8 - 1);
        if let Some(request) = request {
            self.add(3, request.metadata.session_id as i8);
            self.add(4, request.metadata.epoch);
            self.add(3, request.partition.unwrap_or(UNKNOWN));
            self.add(1, request.forgotten as i8 - 1);
        }
    }
}

impl Hash for State {
    /// All of it in one number: the derived hash takes each field by itself, and is slower.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let mut packer = Packer(1);
        for session in self.sessions {
            packer.add(4, session.map_or(UNKNOWN, |session| session.epoch));
            if let Some(Session { partition: Some(cached), .. }) = session {
                packer.add(3, cached.interest);
                packer.add(3, cached.high_watermark);
                packer.add(3, cached.log_start);
            } else {
                packer.add(3, UNKNOWN);
            }
        }
        packer.request(self.request);
        packer.request(self.stray);
        packer.add(1, self.response.is_some() as i8 - 1);
        if let Some(response) = self.response {
            packer.add(2, response.error as i8);
            packer.add(3, response.session_id as i8);
            packer.add(1, response.throttled as i8 - 1);
            packer.add(1, response.partition.is_some() as i8 - 1);
            if let Some(answer) = response.partition {
                packer.add(3, answer.high_watermark);
                packer.add(3, answer.log_start);
                packer.add(1, answer.failed as i8 - 1);
                packer.add(1, answer.records as i8 - 1);
            }
        }
        packer.add(3, self.metadata.session_id as i8);
        packer.add(4, self.metadata.epoch);
        packer.add(3, self.fetching.unwrap_or(UNKNOWN));
        packer.add(3, self.reported.map_or(UNKNOWN, |reported| reported.high_watermark));
        packer.add(3, self.reported.map_or(UNKNOWN, |reported| reported.log_start));
        packer.add(2, self.reported.map_or(-1, |reported| reported.records as i8));
        packer.add(3, self.log_start);
        packer.add(3, self.high_watermark);
        packer.add(3, self.log_end);
        packer.add(1, self.failing as i8 - 1);
        packer.add(1, self.pending as i8 - 1);
        packer.add(4, self.failures as i8);
        packer.add(4, self.disturbances as i8);
        hasher.write_u128(packer.0);
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Via {
    Awaited,
    Stray,
}

/// Which partitions' records a response holds is no choice where there is one partition: it must
/// hold them if there are any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Append(i8),
    AdvanceHighWatermark(i8),
    AdvanceLogStart(i8),
    FailPartition,
    RecoverPartition,
    SendSessionless(Interest),
    SendFull(Interest),
    SendIncremental(Option<Interest>),
    SendClose(Option<Interest>),
    ServeSessionless(Via),
    ServeFullCreating(Via, u8),
    ServeFullWithoutSession(Via),
    ServeIncremental(Via),
    ServeIncrementalThrottled(Via),
    ServeIncrementalEmptying(Via),
    ServeUnknownSession(Via),
    ServeWrongEpoch(Via),
    Evict(u8),
    RestartBroker,
    ReceiveFull,
    ReceiveSessionless,
    ReceiveIncremental,
    ReceiveSessionClosed,
    ReceiveUnknownSession,
    ReceiveWrongEpoch,
    Disconnect(bool),
    RestartFetcher(bool),
    Duplicate,
    LoseStray,
}

fn is_full(epoch: i8) -> bool {
    epoch == INITIAL || epoch == FINAL
}

fn incoming(s: &State, via: Via) -> Option<Request> {
    match via {
        Via::Awaited => s.request,
        Via::Stray => s.stray,
    }
}

fn session_of(s: &State, id: u8) -> Option<Session> {
    if id == NO_SESSION {
        None
    } else {
        s.sessions[usize::from(id - 1)]
    }
}

fn close(new: &mut State, id: u8) {
    if id != NO_SESSION {
        new.sessions[usize::from(id - 1)] = None;
    }
}

fn has_records(s: &State, interest: Interest) -> bool {
    !s.failing && s.log_start <= interest && interest < s.high_watermark
}

fn answer(s: &State, records: bool) -> Answer {
    if s.failing {
        let unknown = UNKNOWN;
        Answer { failed: true, high_watermark: unknown, log_start: unknown, records: false }
    } else {
        Answer {
            failed: false,
            high_watermark: s.high_watermark,
            log_start: s.log_start,
            records,
        }
    }
}

fn full_answer(s: &State, request: &Request) -> Option<Answer> {
    request.partition.map(|interest| answer(s, has_records(s, interest)))
}

/// The session's partition once the request is taken in.
fn merged(session: &Session, request: &Request) -> Option<Cached> {
    match (request.forgotten, request.partition, session.partition) {
        (true, _, _) => None,
        (false, None, cached) => cached,
        (false, Some(interest), None) => {
            Some(Cached { interest, high_watermark: UNKNOWN, log_start: UNKNOWN })
        }
        (false, Some(interest), Some(cached)) => Some(Cached { interest, ..cached }),
    }
}

fn answered(cached: Cached, answer: Answer) -> Cached {
    Cached {
        high_watermark: answer.high_watermark,
        log_start: answer.log_start,
        ..cached
    }
}

fn reported_after(s: &State, response: &Response) -> Option<Reported> {
    let Some(answer) = response.partition else {
        return s.reported;
    };
    Some(Reported {
        high_watermark: answer.high_watermark,
        log_start: answer.log_start,
        records: answer.records || s.reported.is_some_and(|reported| reported.records),
    })
}

fn respond(
    new: &mut State,
    via: Via,
    error: Error,
    session_id: u8,
    partition: Option<Answer>,
    throttled: bool,
) {
    match via {
        Via::Awaited => {
            new.request = None;
            new.response = Some(Response { error, session_id, partition, throttled });
        }
        Via::Stray => new.stray = None,
    }
}

fn send(new: &mut State, partition: Option<Interest>, forgotten: bool) {
    new.request = Some(Request { metadata: new.metadata, partition, forgotten });
    new.pending = true;
}

fn send_all(new: &mut State, metadata: Metadata, wanted: Option<Interest>) {
    new.metadata = metadata;
    new.fetching = wanted;
    new.reported = None;
    send(new, wanted, false);
}

fn settle(new: &mut State, metadata: Metadata) {
    new.response = None;
    new.pending = false;
    new.metadata = metadata;
}

fn start_over(new: &mut State) {
    new.fetching = None;
    new.reported = None;
}

impl FetchSession {
    pub fn new(constants: &Constants) -> Self {
        for (name, value) in [
            ("FETCHERS", 1),
            ("FOLLOWERS", 0),
            ("PARTITIONS", 1),
            ("MAX_BYTES", 0),
            ("MAX_FETCHER_LOG_START", -1),
            ("MAX_LEADER_EPOCH", -1),
            ("MAX_FETCHED_EPOCH", -1),
        ] {
            assert_eq!(constants.get(name), value, "this model is for scopes with {name} = {value}");
        }
        let number = |name| i8::try_from(constants.get(name)).expect("a small number");
        let model = FetchSession {
            ids: number("SESSION_IDS") as u8,
            max_epoch: number("MAX_EPOCH"),
            max_offset: number("MAX_OFFSET"),
            max_failures: number("MAX_FAILURES") as u8,
            max_disturbances: number("MAX_DISTURBANCES") as u8,
        };
        assert!(usize::from(model.ids) <= MOST && model.max_epoch < 14 && model.max_offset < 6);
        assert!(model.max_failures < 14 && model.max_disturbances < 14);
        model
    }

    fn next_epoch(&self, epoch: i8) -> i8 {
        if epoch == self.max_epoch {
            1
        } else {
            epoch + 1
        }
    }

    fn sendable(&self, s: &State, actions: &mut Vec<Action>) {
        let Metadata { session_id, epoch } = s.metadata;
        for wanted in 0..=self.max_offset {
            if session_id == NO_SESSION {
                actions.push(Action::SendSessionless(wanted));
            }
            if epoch == INITIAL {
                actions.push(Action::SendFull(wanted));
            }
        }
        let all = (0..=self.max_offset).map(Some);
        for wanted in std::iter::once(None).chain(all) {
            if !is_full(epoch) {
                let keeps_its_place = match (s.fetching, wanted) {
                    (Some(old), Some(wanted)) => {
                        wanted <= old || s.reported.is_some_and(|reported| reported.records)
                    }
                    _ => true,
                };
                if keeps_its_place {
                    actions.push(Action::SendIncremental(wanted));
                }
            }
            if session_id != NO_SESSION {
                actions.push(Action::SendClose(wanted));
            }
        }
    }

    fn servable(&self, s: &State, via: Via, request: &Request, actions: &mut Vec<Action>) {
        let Metadata { session_id, epoch } = request.metadata;
        match epoch {
            FINAL => actions.push(Action::ServeSessionless(via)),
            INITIAL => {
                for id in 1..=self.ids {
                    if self.is_unused(s, id) {
                        actions.push(Action::ServeFullCreating(via, id));
                    }
                }
                actions.push(Action::ServeFullWithoutSession(via));
            }
            _ => {
                let Some(session) = session_of(s, session_id) else {
                    actions.push(Action::ServeUnknownSession(via));
                    return;
                };
                if session.epoch != epoch {
                    actions.push(Action::ServeWrongEpoch(via));
                } else if merged(&session, request).is_none() {
                    actions.push(Action::ServeIncrementalEmptying(via));
                } else if !self.outlives(s, request) {
                    actions.push(Action::ServeIncremental(via));
                    actions.push(Action::ServeIncrementalThrottled(via));
                }
            }
        }
    }

    /// Whether a stray would be taken for the next request, a whole turn later.
    fn outlives(&self, s: &State, request: &Request) -> bool {
        let Metadata { session_id, epoch } = request.metadata;
        let next = Metadata { session_id, epoch: self.next_epoch(epoch) };
        s.stray.is_some_and(|stray| stray.metadata == next)
    }

    fn is_unused(&self, s: &State, id: u8) -> bool {
        session_of(s, id).is_none()
            && s.metadata.session_id != id
            && s.request.is_none_or(|request| request.metadata.session_id != id)
            && s.stray.is_none_or(|stray| stray.metadata.session_id != id)
            && s.response.is_none_or(|response| response.session_id != id)
    }

    fn receivable(&self, s: &State, response: &Response, actions: &mut Vec<Action>) {
        let has_session = response.session_id != NO_SESSION;
        if is_full(s.metadata.epoch) {
            actions.push(if has_session {
                Action::ReceiveFull
            } else {
                Action::ReceiveSessionless
            });
        } else if response.error == Error::None {
            actions.push(if has_session {
                Action::ReceiveIncremental
            } else {
                Action::ReceiveSessionClosed
            });
        }
        match response.error {
            Error::None => {}
            Error::IdNotFound => actions.push(Action::ReceiveUnknownSession),
            Error::InvalidEpoch => actions.push(Action::ReceiveWrongEpoch),
        }
    }

    fn accept(&self, new: &mut State, request: &Request, partition: Option<Cached>) {
        let Metadata { session_id, epoch } = request.metadata;
        let session = Session { epoch: self.next_epoch(epoch), partition };
        new.sessions[usize::from(session_id - 1)] = Some(session);
    }

    fn serve_incremental(&self, s: &State, new: &mut State, via: Via) -> Option<()> {
        let request = incoming(s, via)?;
        let id = request.metadata.session_id;
        let cached = merged(&session_of(s, id)?, &request)?;
        let answer = answer(s, has_records(s, cached.interest));
        let is_sent = answer.records
            || answer.failed
            || answer.high_watermark != cached.high_watermark
            || answer.log_start != cached.log_start;
        let after = if is_sent { answered(cached, answer) } else { cached };
        self.accept(new, &request, Some(after));
        respond(new, via, Error::None, id, is_sent.then_some(answer), false);
        Some(())
    }

    fn serve_full(&self, s: &State, new: &mut State, via: Via, id: u8) -> Option<()> {
        let request = incoming(s, via)?;
        let answer = full_answer(s, &request);
        close(new, request.metadata.session_id);
        if id != NO_SESSION {
            let partition = request.partition.zip(answer).map(|(interest, answer)| Cached {
                interest,
                high_watermark: answer.high_watermark,
                log_start: answer.log_start,
            });
            new.sessions[usize::from(id - 1)] = Some(Session { epoch: 1, partition });
        }
        respond(new, via, Error::None, id, answer, false);
        Some(())
    }

    fn abandon(&self, s: &State, new: &mut State, arrives: bool, metadata: Metadata) {
        new.disturbances += 1;
        if arrives {
            new.stray = s.request;
        }
        new.request = None;
        new.response = None;
        new.pending = false;
        start_over(new);
        new.metadata = metadata;
    }
}

impl Model for FetchSession {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            log_start: 0,
            high_watermark: 0,
            log_end: 0,
            failing: false,
            failures: 0,
            sessions: [None; MOST],
            request: None,
            stray: None,
            response: None,
            metadata: FRESH,
            pending: false,
            fetching: None,
            reported: None,
            disturbances: 0,
        }]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        actions.extend((s.log_end + 1..=self.max_offset).map(Action::Append));
        actions.extend((s.high_watermark + 1..=s.log_end).map(Action::AdvanceHighWatermark));
        actions.extend((s.log_start + 1..=s.high_watermark).map(Action::AdvanceLogStart));
        if s.failing {
            actions.push(Action::RecoverPartition);
        } else if s.failures < self.max_failures {
            actions.push(Action::FailPartition);
        }
        if !s.pending {
            self.sendable(s, actions);
        }
        for via in [Via::Awaited, Via::Stray] {
            if let Some(request) = incoming(s, via) {
                self.servable(s, via, &request, actions);
            }
        }
        for id in 1..=self.ids {
            if session_of(s, id).is_some() {
                actions.push(Action::Evict(id));
            }
        }
        if s.sessions.iter().any(Option::is_some) {
            actions.push(Action::RestartBroker);
        }
        if let Some(response) = s.response {
            self.receivable(s, &response, actions);
        }
        if s.disturbances < self.max_disturbances {
            let may_stray = s.request.is_some() && s.stray.is_none();
            for arrives in [false, true] {
                if arrives && !may_stray {
                    continue;
                }
                if s.pending {
                    actions.push(Action::Disconnect(arrives));
                }
                if s.pending || s.metadata != FRESH {
                    actions.push(Action::RestartFetcher(arrives));
                }
            }
            if may_stray {
                actions.push(Action::Duplicate);
            }
        }
        if s.stray.is_some() {
            actions.push(Action::LoseStray);
        }
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let mut state = *s;
        let new = &mut state;
        match action {
            Action::Append(end) => new.log_end = end,
            Action::AdvanceHighWatermark(to) => new.high_watermark = to,
            Action::AdvanceLogStart(to) => new.log_start = to,
            Action::FailPartition => {
                new.failures += 1;
                new.failing = true;
            }
            Action::RecoverPartition => new.failing = false,
            Action::SendSessionless(wanted) => {
                let metadata = Metadata { session_id: NO_SESSION, epoch: FINAL };
                send_all(new, metadata, Some(wanted));
            }
            Action::SendFull(wanted) => send_all(new, s.metadata, Some(wanted)),
            Action::SendClose(wanted) => {
                let metadata = Metadata { epoch: FINAL, ..s.metadata };
                send_all(new, metadata, wanted);
            }
            Action::SendIncremental(wanted) => {
                let old = s.fetching;
                new.fetching = wanted;
                new.reported = match (old, wanted, s.reported) {
                    (Some(old), Some(wanted), Some(reported)) => {
                        let records = reported.records && old == wanted;
                        Some(Reported { records, ..reported })
                    }
                    _ => None,
                };
                let said = if wanted == old { None } else { wanted };
                send(new, said, old.is_some() && wanted.is_none());
            }
            Action::ServeSessionless(via) | Action::ServeFullWithoutSession(via) => {
                self.serve_full(s, new, via, NO_SESSION)?;
            }
            Action::ServeFullCreating(via, id) => self.serve_full(s, new, via, id)?,
            Action::ServeIncremental(via) => self.serve_incremental(s, new, via)?,
            Action::ServeIncrementalThrottled(via) => {
                let request = incoming(s, via)?;
                let id = request.metadata.session_id;
                let cached = merged(&session_of(s, id)?, &request);
                self.accept(new, &request, cached);
                respond(new, via, Error::None, id, None, true);
            }
            Action::ServeIncrementalEmptying(via) => {
                close(new, incoming(s, via)?.metadata.session_id);
                respond(new, via, Error::None, NO_SESSION, None, false);
            }
            Action::ServeUnknownSession(via) => {
                respond(new, via, Error::IdNotFound, NO_SESSION, None, false);
            }
            Action::ServeWrongEpoch(via) => {
                respond(new, via, Error::InvalidEpoch, NO_SESSION, None, false);
            }
            Action::Evict(id) => close(new, id),
            Action::RestartBroker => new.sessions = [None; MOST],
            Action::ReceiveFull => {
                let response = s.response?;
                new.reported = reported_after(s, &response);
                settle(new, Metadata { session_id: response.session_id, epoch: 1 });
            }
            Action::ReceiveIncremental => {
                new.reported = reported_after(s, &s.response?);
                let epoch = self.next_epoch(s.metadata.epoch);
                settle(new, Metadata { epoch, ..s.metadata });
            }
            Action::ReceiveSessionless
            | Action::ReceiveSessionClosed
            | Action::ReceiveUnknownSession => {
                start_over(new);
                settle(new, FRESH);
            }
            Action::ReceiveWrongEpoch => {
                start_over(new);
                settle(new, Metadata { epoch: INITIAL, ..s.metadata });
            }
            Action::Disconnect(arrives) => {
                self.abandon(s, new, arrives, Metadata { epoch: INITIAL, ..s.metadata });
            }
            Action::RestartFetcher(arrives) => self.abandon(s, new, arrives, FRESH),
            Action::Duplicate => {
                new.disturbances += 1;
                new.stray = s.request;
            }
            Action::LoseStray => new.stray = None,
        }
        Some(state)
    }

    /// The state invariants. That a session belongs to the one fetcher there is goes without
    /// saying.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("epochs_agree_when_idle", |_, s: &State| {
                let Metadata { session_id, epoch } = s.metadata;
                s.pending
                    || is_full(epoch)
                    || session_of(s, session_id).is_none_or(|session| session.epoch == epoch)
            }),
            Property::always("accepted_request_leaves_agreement", |_, s: &State| {
                let Some(response) = s.response else {
                    return true;
                };
                s.request.is_some()
                    || response.error != Error::None
                    || session_of(s, response.session_id).is_none_or(|session| {
                        session.partition.map(|cached| cached.interest) == s.fetching
                    })
            }),
            Property::always("undisturbed_fetcher_sees_no_epoch_error", |_, s: &State| {
                s.disturbances > 0 || s.response.is_none_or(|r| r.error != Error::InvalidEpoch)
            }),
            Property::always("one_session_per_undisturbed_fetcher", |_, s: &State| {
                s.disturbances > 0 || s.sessions.iter().flatten().count() <= 1
            }),
            Property::always("pending_means_in_flight", |_, s: &State| {
                !s.pending || s.request.is_some() || s.response.is_some()
            }),
            Property::sometimes("reaches_the_last_epoch", |model: &Self, s: &State| {
                s.sessions.iter().flatten().any(|session| session.epoch == model.max_epoch)
            }),
            Property::sometimes("an_epoch_error_reaches_a_fetcher", |_, s: &State| {
                s.response.is_some_and(|response| response.error == Error::InvalidEpoch)
            }),
            Property::sometimes("an_unknown_session_error_reaches_a_fetcher", |_, s: &State| {
                s.response.is_some_and(|response| response.error == Error::IdNotFound)
            }),
        ]
    }
}
