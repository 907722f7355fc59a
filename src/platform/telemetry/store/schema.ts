/** The tables of a telemetry file. docs/telemetry.md describes them for users of SQL. */

/** Identifies telemetry files: "RemT". */
export const APPLICATION_ID = 0x52656d54
/**
 * Incremented with every change of the tables. In version 1, the column `run` of requests and journeys was
 * `walk`.
 */
export const SCHEMA_VERSION = 2
export const READABLE_VERSIONS: readonly number[] = [1, SCHEMA_VERSION]

/** Times are milliseconds since the epoch, durations are milliseconds, columns that end in `_json` hold JSON. */
export const SCHEMA = `
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  trace_id TEXT NOT NULL, span_id TEXT NOT NULL, parent_id TEXT,
  name TEXT NOT NULL, service TEXT NOT NULL, pod TEXT NOT NULL,
  kind TEXT NOT NULL,            -- server, client, producer, consumer, internal
  start REAL NOT NULL, duration_ms REAL NOT NULL,
  status TEXT NOT NULL,          -- ok, error
  message TEXT, peer TEXT, attributes_json TEXT NOT NULL
);
CREATE INDEX spans_by_start ON spans (start);
CREATE INDEX spans_by_service ON spans (service, start);
CREATE INDEX spans_by_trace ON spans (trace_id, span_id);
CREATE INDEX spans_in_error ON spans (start) WHERE status = 'error';
CREATE INDEX spans_served ON spans (service, name, start, status, duration_ms) WHERE kind IN ('server', 'consumer');
CREATE INDEX spans_called ON spans (service, peer, start, status, duration_ms)
  WHERE kind IN ('client', 'producer') AND peer IS NOT NULL;
CREATE INDEX spans_consumed ON spans (start) WHERE kind = 'consumer';

CREATE TABLE logs (
  id INTEGER PRIMARY KEY,
  time REAL NOT NULL, namespace TEXT NOT NULL, service TEXT NOT NULL, pod TEXT NOT NULL, container TEXT NOT NULL,
  severity TEXT NOT NULL,        -- debug, info, warn, error
  text TEXT NOT NULL
);
CREATE INDEX logs_by_time ON logs (time);
CREATE INDEX logs_by_service ON logs (service, time);

CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, service TEXT, pod TEXT, labels_json TEXT NOT NULL,
  UNIQUE (name, labels_json)
);
CREATE TABLE samples (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, time REAL NOT NULL, value REAL);
CREATE INDEX samples_by_series ON samples (series, time);
CREATE INDEX samples_by_time ON samples (time);
CREATE VIEW metrics AS
  SELECT samples.time, series.name, series.service, series.pod, samples.value, series.labels_json
  FROM samples JOIN series ON series.id = samples.series;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  time REAL NOT NULL, type TEXT NOT NULL, reason TEXT NOT NULL, object TEXT NOT NULL, service TEXT,
  message TEXT NOT NULL, count INTEGER NOT NULL
);
CREATE INDEX events_by_time ON events (time);

CREATE TABLE alerts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, severity TEXT NOT NULL, labels_json TEXT NOT NULL, summary TEXT NOT NULL,
  raised REAL NOT NULL, cleared REAL,
  UNIQUE (name, labels_json, raised)
);

CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  journey TEXT NOT NULL, run INTEGER NOT NULL, step TEXT NOT NULL,
  intended REAL NOT NULL, started REAL NOT NULL, latency_ms REAL NOT NULL,
  outcome TEXT NOT NULL,         -- ok, status, content, timeout, connection
  status INTEGER NOT NULL, detail TEXT, trace_id TEXT NOT NULL
);
CREATE INDEX requests_by_start ON requests (started);

CREATE TABLE journeys (
  id INTEGER PRIMARY KEY,
  journey TEXT NOT NULL, run INTEGER NOT NULL,
  intended REAL NOT NULL, started REAL NOT NULL, latency_ms REAL NOT NULL,
  ok INTEGER NOT NULL, failed_at TEXT
);
CREATE INDEX journeys_by_start ON journeys (started);

-- The times at which the cluster became ready or was reset.
CREATE TABLE epochs (id INTEGER PRIMARY KEY, time REAL NOT NULL, name TEXT NOT NULL);
-- Signals that are missing: dropped before they were written, or evicted to stay within the maximum size.
CREATE TABLE losses (kind TEXT PRIMARY KEY, dropped INTEGER NOT NULL, evicted INTEGER NOT NULL);

CREATE VIEW edge_calls AS
  SELECT service AS caller, peer AS callee, start, status, duration_ms FROM spans
    WHERE kind IN ('client', 'producer') AND peer IS NOT NULL
  UNION ALL
  SELECT * FROM (
    SELECT (SELECT parent.service FROM spans AS parent
        WHERE parent.trace_id = child.trace_id AND parent.span_id = child.parent_id LIMIT 1) AS caller,
      service AS callee, start, status, duration_ms
    FROM spans AS child WHERE kind = 'consumer')
  WHERE caller IS NOT NULL;
CREATE VIEW edges AS
  SELECT caller, callee, count(*) AS count, sum(status = 'error') AS errors,
    avg(status = 'error') AS error_rate, avg(duration_ms) AS mean_ms
  FROM edge_calls GROUP BY caller, callee;
CREATE VIEW endpoints AS
  SELECT service, name AS endpoint, count(*) AS count, sum(status = 'error') AS errors,
    avg(status = 'error') AS error_rate, avg(duration_ms) AS mean_ms
  FROM spans WHERE kind IN ('server', 'consumer') GROUP BY service, name;
`
