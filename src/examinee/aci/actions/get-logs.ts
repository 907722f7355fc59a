/** The action get_logs. */
import { z } from 'zod'
import { defined } from '#kit'
import type { LogLine } from '#spec'
import { defineAction } from '../define-action.ts'
import { checkService } from '../list-services.ts'
import { nameText } from '../name-text.ts'
import { sinceSeconds, toTimeRange } from '../time-window.ts'
import { isTooLong, toClock, toLine, toText } from '../to-text.ts'

const SEVERITIES = ['debug', 'info', 'warn', 'error'] as const
const DEFAULT_LINES = 60
const MAX_LINES = 500
const MAX_LINE_CHARACTERS = 300

/** Lines with the same pattern differ only in numbers and hexadecimal ids, and are reported once. */
const toPattern = ({ service, severity, text }: LogLine): string =>
  `${service} ${severity} ${text.replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')}`

const describe = (lines: readonly LogLine[]): string => {
  const { time, severity, pod, text } = lines.at(-1)!
  const countText =
    lines.length === 1 ? '' : ` (${lines.length} similar lines, first at ${toClock(lines[0]!.time)})`
  return `${toClock(time)} ${severity} ${pod}: ${toLine(text, MAX_LINE_CHARACTERS)}${countText}`
}

const rankOf = ({ severity, time }: LogLine): number => SEVERITIES.indexOf(severity) * 1e15 + time

/** Groups lines by pattern. The most severe groups come first; among equally severe ones, the newest. */
const groupSimilar = (lines: readonly LogLine[]): (readonly LogLine[])[] => {
  const groups = new Map<string, LogLine[]>()
  for (const line of lines) {
    const key = toPattern(line)
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  return [...groups.values()].toSorted((a, b) => rankOf(b.at(-1)!) - rankOf(a.at(-1)!))
}

export const getLogs = defineAction({
  name: 'get_logs',
  about:
    'Returns log lines of containers, including those of deleted pods. Lines that differ only in numbers are reported ' +
    'once, with their count. The most severe lines come first. Filter by service, pod, minimum severity or text.',
  example: { service: 'cart', severity: 'warn', since_seconds: 60 },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    service: nameText.optional().describe('Return only lines of this service.'),
    pod: nameText.optional().describe('Return only lines of the pod with exactly this name.'),
    severity: z.enum(SEVERITIES).optional().describe('The minimum severity.'),
    contains: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('Return only lines that contain this text; case-sensitive.'),
    since_seconds: sinceSeconds,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .max(MAX_LINES)
      .optional()
      .describe(
        `The maximum number of lines; the newest are returned. Default: ${DEFAULT_LINES}; maximum: ${MAX_LINES}.`,
      ),
  }),
  async run(context, { service, pod, severity, contains, since_seconds, limit = DEFAULT_LINES }) {
    const services = await checkService(context, service)
    const lines = await context.telemetry.logs({
      range: await toTimeRange(context, since_seconds),
      limit,
      ...defined({ services, severity, contains, pod }),
    })
    const isFull = lines.length === limit
    const groups = groupSimilar(lines)
    const text = toText(
      [
        {
          title: `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}${isFull ? ' (limit reached: older lines may exist)' : ''}`,
          lines: groups.map(describe),
        },
      ],
      'Output truncated. To see more, filter by service, severity or contains, or query the table logs with query_telemetry. ' +
        `The next part of a long line is substr(text, ${MAX_LINE_CHARACTERS + 1}, 200).`,
      groups.some((group) => isTooLong(group.at(-1)!.text, MAX_LINE_CHARACTERS)),
    )
    const noMatchText = 'No lines match. Increase since_seconds or use fewer filters.'
    return { ok: true, text: lines.length === 0 ? noMatchText : text, data: lines }
  },
})
