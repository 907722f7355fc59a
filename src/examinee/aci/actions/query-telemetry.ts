/** The action query_telemetry. */
import { z } from 'zod'
import { RemediumError, type SqlAnswer } from '#spec'
import { ActionRefusal, defineAction } from '../define-action.ts'
import { isTooLong, toLine, toText } from '../to-text.ts'

const MAX_ROWS = 200
const MAX_CELL_CHARACTERS = 200

const TABLES = `spans(trace_id, span_id, parent_id, name, service, pod, kind [server, client, producer, consumer, internal], start, duration_ms, status [ok, error], message, peer, attributes_json)
logs(time, namespace, service, pod, container, severity [debug, info, warn, error], text)
metrics(time, name, service, pod, value, labels_json)
events(time, type [Normal, Warning], reason, object [Pod/cart-0], service, message, count)
alerts(name, severity, labels_json, summary, raised, cleared [null while active])
requests(journey, run, step, intended [scheduled start], started, latency_ms, outcome [ok, status (unexpected HTTP status), content (unexpected body), timeout, connection], status, detail, trace_id)
journeys(journey, run, intended [scheduled start], started, latency_ms, ok, failed_at)
edges(caller, callee, count, errors, error_rate, mean_ms); edge_calls(caller, callee, start, status, duration_ms)
endpoints(service, endpoint, count, errors, error_rate, mean_ms)`

const cellsOf = (row: SqlAnswer['rows'][number]): string[] =>
  Object.values(row).map((value) => String(value ?? 'NULL'))

const describeRow = (cells: readonly string[]): string =>
  cells.map((cell) => toLine(cell, MAX_CELL_CHARACTERS)).join(' | ')

export const queryTelemetry = defineAction({
  name: 'query_telemetry',
  about:
    'Runs one read-only SELECT statement (SQLite dialect) on all telemetry. Use it for questions that the other actions do ' +
    `not answer, such as comparisons over time, counts and joins. Tables:\n${TABLES}\n` +
    'Times are milliseconds since the Unix epoch. (SELECT max(time) FROM metrics) is approximately now. To read a field ' +
    "of a JSON column, use labels_json ->> 'container'. For percentiles, use percentile_disc(duration_ms, 0.95).",
  example: {
    sql: "SELECT service, count(*) AS n, sum(status = 'error') AS errors FROM spans WHERE kind = 'server' GROUP BY service ORDER BY errors DESC LIMIT 10",
  },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({ sql: z.string().min(1).max(20_000).describe('One SELECT statement.') }),
  async run({ sql: runSql }, { sql }) {
    let answer: SqlAnswer
    try {
      answer = await runSql(sql)
    } catch (error) {
      if (!(error instanceof RemediumError) || error.code !== 'bad-argument') throw error
      throw new ActionRefusal(
        `${error.message} The query must be one SELECT statement. It may run for at most 10 s and return at most 10,000 rows. Tables:\n${TABLES}`,
      )
    }
    const { columns, rows, truncated } = answer
    const cells = rows.map(cellsOf)
    const text = toText(
      [
        {
          title: `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${truncated ? ' (limit reached: more rows exist)' : ''}; columns: ${columns.join(' | ')}`,
          lines: cells.map(describeRow),
        },
      ],
      'Output truncated. To see more, select fewer columns, aggregate, or use WHERE, ORDER BY and LIMIT ... OFFSET. ' +
        `The next part of a long value is substr(COLUMN, ${MAX_CELL_CHARACTERS + 1}, ${MAX_CELL_CHARACTERS}).`,
      cells.some((row) => row.some((cell) => isTooLong(cell, MAX_CELL_CHARACTERS))),
    )
    const data = { columns, rows: rows.slice(0, MAX_ROWS), truncated: truncated || rows.length > MAX_ROWS }
    return {
      ok: true,
      text: rows.length === 0 ? `No rows; columns: ${columns.join(' | ')}.` : text,
      data,
    }
  },
})
