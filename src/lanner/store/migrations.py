"""How a database comes to have the tables of `schema`: numbered steps, applied once each, in order, never edited.

To change the tables, change `schema` and add a step at the end of `STEPS`. A step is written for databases that hold
people's work: it may add and fill, and it may not lose. All missing steps run in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, select

from lanner.store.judgements import begin_chains
from lanner.store.rows import dumps, loads, micros, now
from lanner.store.schema import delivery, event, migration

_FIRST_TABLES = """
CREATE TABLE campaign (
  id {never_reused}, name TEXT NOT NULL, title TEXT NOT NULL,
  protocol_name TEXT NOT NULL, protocol_version TEXT NOT NULL, protocol_hash TEXT NOT NULL, protocol TEXT NOT NULL,
  corpus_hash TEXT NOT NULL, design TEXT NOT NULL, options TEXT NOT NULL, systems TEXT NOT NULL, seed BIGINT NOT NULL,
  settings TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL,
  created_at BIGINT NOT NULL, opened_at BIGINT, closed_at BIGINT);
CREATE UNIQUE INDEX campaign_name ON campaign (name);

CREATE TABLE document (
  id {never_reused}, campaign {ref} NOT NULL REFERENCES campaign (id), position INTEGER NOT NULL, key TEXT NOT NULL,
  domain TEXT NOT NULL, source_language TEXT NOT NULL, target_language TEXT NOT NULL, segments INTEGER NOT NULL,
  content TEXT NOT NULL);
CREATE UNIQUE INDEX document_key ON document (campaign, key);

CREATE TABLE judge (
  id {never_reused}, campaign {ref} NOT NULL REFERENCES campaign (id), position INTEGER NOT NULL, key TEXT NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL, attributes TEXT NOT NULL, added_at BIGINT NOT NULL,
  link_hash TEXT, link_issued_at BIGINT, revoked_at BIGINT, consent TEXT, consented_at BIGINT);
CREATE UNIQUE INDEX judge_key ON judge (campaign, key);
CREATE UNIQUE INDEX judge_link ON judge (link_hash);

CREATE TABLE task (
  id {never_reused}, campaign {ref} NOT NULL REFERENCES campaign (id), judge {ref} REFERENCES judge (id),
  page TEXT NOT NULL, position INTEGER NOT NULL, pool TEXT, added_at BIGINT NOT NULL, finished_at BIGINT);
CREATE UNIQUE INDEX task_judge ON task (judge, position);
CREATE INDEX task_campaign ON task (campaign);
CREATE INDEX task_pool ON task (campaign, position) WHERE judge IS NULL;

CREATE TABLE item (
  task {ref} NOT NULL REFERENCES task (id), position INTEGER NOT NULL,
  document {ref} NOT NULL REFERENCES document (id), segment TEXT NOT NULL, systems TEXT NOT NULL, role TEXT NOT NULL,
  texts TEXT, expected TEXT, done INTEGER NOT NULL, elapsed DOUBLE PRECISION NOT NULL,
  active DOUBLE PRECISION NOT NULL, saved_at BIGINT, PRIMARY KEY (task, position)) {clustered};

CREATE TABLE judgement (
  id {id}, campaign {ref} NOT NULL REFERENCES campaign (id), judge {ref} NOT NULL REFERENCES judge (id),
  task {ref} REFERENCES task (id), document {ref} NOT NULL REFERENCES document (id), segment TEXT NOT NULL,
  stage TEXT NOT NULL, question TEXT NOT NULL, systems TEXT NOT NULL, role TEXT NOT NULL, revision INTEGER NOT NULL,
  supersedes {ref} REFERENCES judgement (id), base {ref}, value TEXT NOT NULL, flags TEXT,
  submission TEXT NOT NULL, part INTEGER NOT NULL, elapsed DOUBLE PRECISION, active DOUBLE PRECISION,
  answered_at BIGINT, received_at BIGINT NOT NULL, origin TEXT NOT NULL);
CREATE UNIQUE INDEX judgement_key
  ON judgement (judge, document, segment, stage, question, systems, role, revision);
CREATE UNIQUE INDEX judgement_submission ON judgement (campaign, submission, part);
CREATE UNIQUE INDEX judgement_supersedes ON judgement (supersedes) WHERE supersedes IS NOT NULL;

CREATE TABLE account (
  id {never_reused}, name TEXT NOT NULL, password TEXT NOT NULL, role TEXT NOT NULL, created_at BIGINT NOT NULL,
  disabled_at BIGINT);
CREATE UNIQUE INDEX account_name ON account (name);

CREATE TABLE member (
  campaign {ref} NOT NULL REFERENCES campaign (id), account {ref} NOT NULL REFERENCES account (id),
  PRIMARY KEY (campaign, account)) {clustered};

CREATE TABLE session (
  token_hash TEXT NOT NULL PRIMARY KEY, judge {ref} REFERENCES judge (id), account {ref} REFERENCES account (id),
  created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL) {clustered};
CREATE INDEX session_expiry ON session (expires_at);

CREATE TABLE event (
  id {id}, campaign {ref} REFERENCES campaign (id), account {ref} REFERENCES account (id), at BIGINT NOT NULL,
  kind TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX event_campaign ON event (campaign, id)
"""

# Rows of these tables are never changed, whoever holds the connection. Deleting is left possible: a judge may withdraw.
_APPEND_ONLY = {
    "sqlite": """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{rows} append-only'); END
""",
    "postgresql": """
CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION '{rows} append-only'; END $$;;
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_append_only()
""",
}

_LEDGER = """
CREATE TABLE ledger (
  id {id}, campaign {ref} NOT NULL REFERENCES campaign (id), judge {ref} NOT NULL REFERENCES judge (id),
  document {ref} NOT NULL REFERENCES document (id), segment TEXT NOT NULL, systems TEXT NOT NULL, role TEXT NOT NULL,
  page TEXT NOT NULL, key TEXT NOT NULL, sample INTEGER NOT NULL, swapped INTEGER NOT NULL, attempt INTEGER NOT NULL,
  final INTEGER NOT NULL, outcome TEXT NOT NULL, prompt_hash TEXT NOT NULL, schema_hash TEXT NOT NULL,
  template TEXT NOT NULL, model TEXT NOT NULL, model_answered TEXT NOT NULL, fingerprint TEXT NOT NULL, seed BIGINT,
  temperature DOUBLE PRECISION, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, repairs INTEGER NOT NULL,
  cost DOUBLE PRECISION, latency DOUBLE PRECISION NOT NULL, raw TEXT NOT NULL, problem TEXT NOT NULL,
  detail TEXT NOT NULL, answers TEXT, asked_at BIGINT NOT NULL);
CREATE UNIQUE INDEX ledger_key ON ledger (judge, document, key, attempt)
"""

_OUTSIDE = """
CREATE TABLE token (
  id {never_reused}, name TEXT NOT NULL, token_hash TEXT NOT NULL, scopes TEXT NOT NULL,
  account {ref} REFERENCES account (id), campaign {ref} REFERENCES campaign (id), created_at BIGINT NOT NULL,
  expires_at BIGINT, revoked_at BIGINT);
CREATE UNIQUE INDEX token_hash ON token (token_hash);

CREATE TABLE webhook (
  id {never_reused}, campaign {ref} REFERENCES campaign (id), url TEXT NOT NULL, secret TEXT NOT NULL,
  events TEXT NOT NULL, created_at BIGINT NOT NULL, removed_at BIGINT);

CREATE TABLE delivery (
  id {never_reused}, webhook {ref} NOT NULL REFERENCES webhook (id), event TEXT NOT NULL, body TEXT NOT NULL,
  attempts INTEGER NOT NULL, due_at BIGINT, delivered_at BIGINT, problem TEXT NOT NULL);
CREATE INDEX delivery_due ON delivery (due_at) WHERE due_at IS NOT NULL
"""

_CHAIN = """
CREATE TABLE chain (
  id {never_reused}, campaign {ref} NOT NULL REFERENCES campaign (id), last BIGINT NOT NULL, rows BIGINT NOT NULL,
  hash TEXT NOT NULL, at BIGINT NOT NULL, note TEXT NOT NULL);
CREATE UNIQUE INDEX chain_campaign ON chain (campaign, last);

CREATE TABLE withdrawn (
  id {ref} NOT NULL PRIMARY KEY, campaign {ref} NOT NULL REFERENCES campaign (id), digest TEXT NOT NULL);
CREATE INDEX withdrawn_campaign ON withdrawn (campaign, id)
"""

_INDEXES_FOR_DELETIONS = """
CREATE INDEX item_document ON item (document);
CREATE INDEX judgement_task ON judgement (task);
CREATE INDEX judgement_document ON judgement (document);
CREATE INDEX ledger_document ON ledger (document)
"""

_TYPES = {
    "sqlite": {
        "id": "INTEGER NOT NULL PRIMARY KEY",
        "never_reused": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
        "ref": "INTEGER",
        "clustered": "WITHOUT ROWID",
    },
    "postgresql": {
        "id": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "never_reused": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "ref": "BIGINT",
        "clustered": "",
    },
}


def m001_first_tables(connection: Connection) -> None:
    """Campaigns, documents, judges, tasks, judgements; accounts, sessions, events."""
    _create(connection, _FIRST_TABLES)
    _forbid_changes(connection, "judgement", "judgements are")


def m002_ledger(connection: Connection) -> None:
    """What models were asked and what they replied, attempt by attempt."""
    _create(connection, _LEDGER)
    _forbid_changes(connection, "ledger", "the ledger is")


def m003_outside(connection: Connection) -> None:
    """Programs: tokens they come with, addresses that are told what happened, and what is still to be told."""
    _create(connection, _OUTSIDE)


def m004_chain(connection: Connection) -> None:
    """Hashes over the judgements of each campaign, beginning with all that are there."""
    _create(connection, _CHAIN)
    begin_chains(connection, micros(now()))


def m005_forgotten_names(connection: Connection) -> None:
    """What was kept longer than needed and named judges, also those whose identity was erased since: who was reminded,
    and messages to webhooks that are not sent any more."""
    rows = connection.execute(select(event.c.id, event.c.detail).where(event.c.kind == "reminded")).all()
    for number, detail in rows:
        names = loads(detail).get("judges")
        if isinstance(names, list):
            count = dumps({"judges": len(names)})
            connection.execute(event.update().where(event.c.id == number).values(detail=count))
    connection.execute(delivery.update().where(delivery.c.due_at.is_(None)).values(body=""))


def m006_indexes_for_deletions(connection: Connection) -> None:
    """In PostgreSQL, how rows are found that refer to a task or a document that is deleted: it read all judgements of
    all campaigns for each of them. SQLite does not look."""
    if connection.dialect.name == "postgresql":
        _create(connection, _INDEXES_FOR_DELETIONS)


def _create(connection: Connection, tables: str) -> None:
    for statement in tables.format(**_TYPES[connection.dialect.name]).split(";"):
        connection.exec_driver_sql(statement)


def _forbid_changes(connection: Connection, table: str, rows: str) -> None:
    for statement in _APPEND_ONLY[connection.dialect.name].format(table=table, rows=rows).split(";;"):
        connection.exec_driver_sql(statement)


STEPS: tuple[Callable[[Connection], None], ...] = (
    m001_first_tables,
    m002_ledger,
    m003_outside,
    m004_chain,
    m005_forgotten_names,
    m006_indexes_for_deletions,
)


def migrate(connection: Connection, steps_done: int, at: datetime) -> None:
    """Apply the steps that are missing, inside the caller's transaction."""
    if steps_done == 0:
        migration.create(connection, checkfirst=True)
    for number, step in enumerate(STEPS[steps_done:], start=steps_done + 1):
        step(connection)
        connection.execute(migration.insert(), {"number": number, "name": step.__name__, "applied_at": micros(at)})
