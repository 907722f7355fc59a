/** The action get_logs. */
import { z } from 'zod'
import type { LogLine } from '../../spec/index.ts'
import { defineAction } from '../define-action.ts'
import { nameText } from '../name-text.ts'
import { checkService } from '../services-of.ts'
import { sinceSeconds, windowOf } from '../time-window.ts'
import { isTooLong, toClock, toLine, toText } from '../to-text.ts'

const SEVERITIES = ['debug', 'info', 'warn', 'error'] as const
const DEFAULT_LINES = 60
const MOST_LINES = 500
/** Letters of one line. */
const MOST_OF_A_LINE = 300

/** Lines that differ in numbers and names of requests alone are told once. */
const shapeOf = ({ service, severity, text }: LogLine): string =>
  `${service} ${severity} ${text.replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')}`

const describe = (lines: readonly LogLine[]): string => {
  const { time, severity, pod, text } = lines.at(-1)!
  const times =
    lines.length === 1 ? '' : ` (${lines.length} lines like this, first ${toClock(lines[0]!.time)})`
  return `${toClock(time)} ${severity} ${pod}: ${toLine(text, MOST_OF_A_LINE)}${times}`
}

const weightOf = ({ severity, time }: LogLine): number => SEVERITIES.indexOf(severity) * 1e15 + time

/** The worst first, and of the equally bad the newest. */
const group = (lines: readonly LogLine[]): (readonly LogLine[])[] => {
  const groups = new Map<string, LogLine[]>()
  for (const line of lines) {
    const key = shapeOf(line)
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  return [...groups.values()].toSorted((one, other) => weightOf(other.at(-1)!) - weightOf(one.at(-1)!))
}

export const getLogs = defineAction({
  name: 'get_logs',
  about:
    'Gives log lines of the containers, also of pods that are gone by now. Lines that differ only in numbers are told ' +
    'once, with how many there were; errors come first. Narrow it down by service, pod, least severity or a text.',
  example: { service: 'cart', severity: 'warn', since_seconds: 60 },
  isReadOnly: true,
  input: z.strictObject({
    service: nameText.optional().describe('Only of this service.'),
    pod: nameText.optional().describe('Only of the pod with exactly this name.'),
    severity: z.enum(SEVERITIES).optional().describe('This severe or more.'),
    contains: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('Only lines that contain this text; capitals count.'),
    since_seconds: sinceSeconds,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .max(MOST_LINES)
      .optional()
      .describe(`The newest so many lines; ${DEFAULT_LINES} where absent, ${MOST_LINES} at most.`),
  }),
  async run(context, { service, pod, severity, contains, since_seconds, limit = DEFAULT_LINES }) {
    const named = await checkService(context, service)
    const lines = await context.telemetry.logs({
      range: await windowOf(context, since_seconds),
      limit,
      ...(named === undefined ? {} : { services: [named] }),
      ...(severity === undefined ? {} : { severity }),
      ...(contains === undefined ? {} : { contains }),
      ...(pod === undefined ? {} : { pod }),
    })
    const isFull = lines.length === limit
    const groups = group(lines)
    const text = toText(
      [
        {
          title: `${lines.length} lines${isFull ? ', the newest; there are more' : ''}`,
          lines: groups.map(describe),
        },
      ],
      'The rest: narrow it down by service, severity or contains, or use query_telemetry on the table logs; of long lines the ' +
        `next part: substr(text, ${MOST_OF_A_LINE + 1}, 200).`,
      groups.some((alike) => isTooLong(alike.at(-1)!.text, MOST_OF_A_LINE)),
    )
    const none = 'There are no such lines. A larger since_seconds, or fewer conditions, may find some.'
    return { ok: true, text: lines.length === 0 ? none : text, data: lines }
  },
})
