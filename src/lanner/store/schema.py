"""The tables as they are now. `migrations` is how a database came to look like this; a test compares the two.

Only plain types are used, so that rows mean the same in SQLite and PostgreSQL and need no conversion: moments are
integers (microseconds since 1970, UTC), yes/no is 0 or 1, and structured values are JSON text.

A judgement's key is judge (which implies the campaign), document, segment, stage, question, systems and role. Rows of
one key form a chain: `revision` counts 1, 2, 3, … and `supersedes` points back, so exactly one row per key is
current, by two unique indices and not by care. `base` is what the client had seen when it answered: where it differs
from `supersedes`, two clients answered at once. Questionnaires are about the document with the empty key, which every
campaign has. There is no index by campaign: a campaign's rows are found by its judges, which saves one index at every
save.

`chain` holds hashes over the judgements of each campaign, commit by commit, and `withdrawn` the digests of rows that
were deleted for a judge who withdrew.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text, text
from sqlalchemy.types import TypeEngine

metadata = MetaData()
_ID: TypeEngine[int] = BigInteger().with_variant(Integer, "sqlite")


def _id() -> Column[int]:
    return Column("id", _ID, primary_key=True)


def _to(name: str, target: str, *, optional: bool = False, primary_key: bool = False) -> Column[int]:
    return Column(name, _ID, ForeignKey(f"{target}.id"), nullable=optional, primary_key=primary_key)


def _word(name: str, *, optional: bool = False) -> Column[str]:
    return Column(name, Text, nullable=optional)


def _moment(name: str, *, optional: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=optional)


def _for_deletions(name: str, column: str) -> Index:
    """PostgreSQL looks, for every row that goes, whether another row refers to it. SQLite is told not to."""
    return Index(name, column).ddl_if(dialect="postgresql")


migration = Table(
    "lanner_migration", metadata, Column("number", Integer, primary_key=True), _word("name"), _moment("applied_at")
)

campaign = Table(
    "campaign",
    metadata,
    _id(),
    *(_word(name) for name in ("name", "title", "protocol_name", "protocol_version", "protocol_hash", "protocol")),
    *(_word(name) for name in ("corpus_hash", "design", "options", "systems")),
    Column("seed", BigInteger, nullable=False),
    *(_word(name) for name in ("settings", "state")),
    Column("version", Integer, nullable=False),
    _moment("created_at"),
    _moment("opened_at", optional=True),
    _moment("closed_at", optional=True),
    Index("campaign_name", "name", unique=True),
)

document = Table(
    "document",
    metadata,
    _id(),
    _to("campaign", "campaign"),
    Column("position", Integer, nullable=False),
    *(_word(name) for name in ("key", "domain", "source_language", "target_language")),
    Column("segments", Integer, nullable=False),
    _word("content"),
    Index("document_key", "campaign", "key", unique=True),
)

judge = Table(
    "judge",
    metadata,
    _id(),
    _to("campaign", "campaign"),
    Column("position", Integer, nullable=False),
    *(_word(name) for name in ("key", "kind", "name", "attributes")),
    _moment("added_at"),
    _word("link_hash", optional=True),
    _moment("link_issued_at", optional=True),
    _moment("revoked_at", optional=True),
    _word("consent", optional=True),
    _moment("consented_at", optional=True),
    Index("judge_key", "campaign", "key", unique=True),
    Index("judge_link", "link_hash", unique=True),
)

task = Table(
    "task",
    metadata,
    _id(),
    _to("campaign", "campaign"),
    _to("judge", "judge", optional=True),
    _word("page"),
    Column("position", Integer, nullable=False),
    _word("pool", optional=True),
    _moment("added_at"),
    _moment("finished_at", optional=True),
    Index("task_judge", "judge", "position", unique=True),
    Index("task_campaign", "campaign"),
    Index(
        "task_pool", "campaign", "position", sqlite_where=text("judge IS NULL"), postgresql_where=text("judge IS NULL")
    ),
)

item = Table(
    "item",
    metadata,
    _to("task", "task", primary_key=True),
    Column("position", Integer, primary_key=True),
    _to("document", "document"),
    *(_word(name) for name in ("segment", "systems", "role")),
    _word("texts", optional=True),
    _word("expected", optional=True),
    Column("done", Integer, nullable=False),
    Column("elapsed", Double, nullable=False),
    Column("active", Double, nullable=False),
    _moment("saved_at", optional=True),
    _for_deletions("item_document", "document"),
    sqlite_with_rowid=False,
)

judgement = Table(
    "judgement",
    metadata,
    _id(),
    _to("campaign", "campaign"),
    _to("judge", "judge"),
    _to("task", "task", optional=True),
    _to("document", "document"),
    *(_word(name) for name in ("segment", "stage", "question", "systems", "role")),
    Column("revision", Integer, nullable=False),
    _to("supersedes", "judgement", optional=True),
    Column("base", _ID, nullable=True),
    _word("value"),
    _word("flags", optional=True),
    _word("submission"),
    Column("part", Integer, nullable=False),
    Column("elapsed", Double, nullable=True),
    Column("active", Double, nullable=True),
    _moment("answered_at", optional=True),
    _moment("received_at"),
    _word("origin"),
    Index(
        "judgement_key", "judge", "document", "segment", "stage", "question", "systems", "role", "revision", unique=True
    ),
    Index("judgement_submission", "campaign", "submission", "part", unique=True),
    _for_deletions("judgement_task", "task"),
    _for_deletions("judgement_document", "document"),
    Index(
        "judgement_supersedes",
        "supersedes",
        unique=True,
        sqlite_where=text("supersedes IS NOT NULL"),
        postgresql_where=text("supersedes IS NOT NULL"),
    ),
)

chain = Table(
    "chain",
    metadata,
    _id(),
    _to("campaign", "campaign"),
    Column("last", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    _word("hash"),
    _moment("at"),
    _word("note"),
    Index("chain_campaign", "campaign", "last", unique=True),
)

withdrawn = Table(
    "withdrawn",
    metadata,
    Column("id", _ID, primary_key=True, autoincrement=False),
    _to("campaign", "campaign"),
    _word("digest"),
    Index("withdrawn_campaign", "campaign", "id"),
)

account = Table(
    "account",
    metadata,
    _id(),
    *(_word(name) for name in ("name", "password", "role")),
    _moment("created_at"),
    _moment("disabled_at", optional=True),
    Index("account_name", "name", unique=True),
)

member = Table(
    "member",
    metadata,
    _to("campaign", "campaign", primary_key=True),
    _to("account", "account", primary_key=True),
    sqlite_with_rowid=False,
)

session = Table(
    "session",
    metadata,
    Column("token_hash", Text, primary_key=True),
    _to("judge", "judge", optional=True),
    _to("account", "account", optional=True),
    _moment("created_at"),
    _moment("expires_at"),
    Index("session_expiry", "expires_at"),
    sqlite_with_rowid=False,
)

event = Table(
    "event",
    metadata,
    _id(),
    _to("campaign", "campaign", optional=True),
    _to("account", "account", optional=True),
    _moment("at"),
    _word("kind"),
    _word("detail"),
    Index("event_campaign", "campaign", "id"),
)

ledger = Table(
    "ledger",
    metadata,
    _id(),
    _to("campaign", "campaign"),
    _to("judge", "judge"),
    _to("document", "document"),
    *(_word(name) for name in ("segment", "systems", "role", "page", "key")),
    *(Column(name, Integer, nullable=False) for name in ("sample", "swapped", "attempt", "final")),
    *(_word(name) for name in ("outcome", "prompt_hash", "schema_hash", "template", "model", "model_answered")),
    _word("fingerprint"),
    Column("seed", BigInteger, nullable=True),
    Column("temperature", Double, nullable=True),
    *(Column(name, Integer, nullable=False) for name in ("tokens_in", "tokens_out", "repairs")),
    Column("cost", Double, nullable=True),
    Column("latency", Double, nullable=False),
    *(_word(name) for name in ("raw", "problem", "detail")),
    _word("answers", optional=True),
    _moment("asked_at"),
    Index("ledger_key", "judge", "document", "key", "attempt", unique=True),
    _for_deletions("ledger_document", "document"),
)

token = Table(
    "token",
    metadata,
    _id(),
    *(_word(name) for name in ("name", "token_hash", "scopes")),
    _to("account", "account", optional=True),
    _to("campaign", "campaign", optional=True),
    _moment("created_at"),
    _moment("expires_at", optional=True),
    _moment("revoked_at", optional=True),
    Index("token_hash", "token_hash", unique=True),
)

webhook = Table(
    "webhook",
    metadata,
    _id(),
    _to("campaign", "campaign", optional=True),
    *(_word(name) for name in ("url", "secret", "events")),
    _moment("created_at"),
    _moment("removed_at", optional=True),
)

delivery = Table(
    "delivery",
    metadata,
    _id(),
    _to("webhook", "webhook"),
    *(_word(name) for name in ("event", "body")),
    Column("attempts", Integer, nullable=False),
    _moment("due_at", optional=True),
    _moment("delivered_at", optional=True),
    _word("problem"),
    Index(
        "delivery_due", "due_at", sqlite_where=text("due_at IS NOT NULL"), postgresql_where=text("due_at IS NOT NULL")
    ),
)
