/** The action query_telemetry. */
import { z } from 'zod'
import { RemediumError, type SqlAnswer } from '../../spec/index.ts'
import { ActionRefusal, defineAction } from '../define-action.ts'
import { isTooLong, toLine, toText } from '../to-text.ts'

const MOST_ROWS = 200
/** Letters of one value. */
const MOST_OF_A_CELL = 200

const TABLES = `spans(trace_id, span_id, parent_id, name, service, pod, kind [server, client, producer, consumer, internal], start, duration_ms, status [ok, error], message, peer, attributes_json)
logs(time, namespace, service, pod, container, severity [debug, info, warn, error], text)
metrics(time, name, service, pod, value, labels_json)
events(time, type [Normal, Warning], reason, object [Pod/cart-0], service, message, count)
alerts(name, severity, labels_json, summary, raised, cleared [null while it holds])
requests(journey, walk, step, intended, started, latency_ms, outcome [ok, status, content, timeout, connection], status, detail, trace_id)
journeys(journey, walk, intended, started, latency_ms, ok, failed_at)
edges(caller, callee, count, errors, error_rate, mean_ms); edge_calls(caller, callee, start, status, duration_ms)
endpoints(service, endpoint, count, errors, error_rate, mean_ms)`

const cellsOf = (row: SqlAnswer['rows'][number]): string[] =>
  Object.values(row).map((value) => String(value ?? 'NULL'))

const describeRow = (cells: readonly string[]): string =>
  cells.map((cell) => toLine(cell, MOST_OF_A_CELL)).join(' | ')

export const queryTelemetry = defineAction({
  name: 'query_telemetry',
  about:
    'Answers a question in SQL (SQLite, one SELECT, read-only) over all telemetry, for what the other actions do not ' +
    `tell: comparisons over time, counts, joins. Tables:\n${TABLES}\n` +
    'Times are milliseconds since the epoch; (SELECT max(time) FROM metrics) is about now. Fields of JSON columns: ' +
    "labels_json ->> 'container'. Percentiles: percentile_disc(duration_ms, 0.95).",
  example: {
    sql: "SELECT service, count(*) AS n, sum(status = 'error') AS errors FROM spans WHERE kind = 'server' GROUP BY service ORDER BY errors DESC LIMIT 10",
  },
  isReadOnly: true,
  input: z.strictObject({ sql: z.string().min(1).max(20_000).describe('One SELECT.') }),
  async run({ sql: ask }, { sql }) {
    let answer: SqlAnswer
    try {
      answer = await ask(sql)
    } catch (error) {
      if (!(error instanceof RemediumError) || error.code !== 'bad-argument') throw error
      throw new ActionRefusal(
        `${error.message} Only one SELECT is answered, at most 10 s and 10,000 rows. Tables:\n${TABLES}`,
      )
    }
    const { columns, rows, truncated } = answer
    const cells = rows.map(cellsOf)
    const text = toText(
      [
        {
          title: `${rows.length} rows${truncated ? ', and there are more' : ''}; columns ${columns.join(' | ')}`,
          lines: cells.map(describeRow),
        },
      ],
      'The rest: ask for fewer columns, aggregate, or add WHERE, ORDER BY and LIMIT ... OFFSET; of long values the next part: ' +
        `substr(COLUMN, ${MOST_OF_A_CELL + 1}, ${MOST_OF_A_CELL}).`,
      cells.some((row) => row.some((cell) => isTooLong(cell, MOST_OF_A_CELL))),
    )
    const kept = { columns, rows: rows.slice(0, MOST_ROWS), truncated: truncated || rows.length > MOST_ROWS }
    return {
      ok: true,
      text: rows.length === 0 ? `No rows; columns ${columns.join(' | ')}.` : text,
      data: kept,
    }
  },
})
