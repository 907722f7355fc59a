/** `remedium telemetry`: what is known of a system that runs, or ran. */
import { RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import type { View } from '../telemetry/views.ts'

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false

/** An option that would change nothing in the answer is a mistake of whoever gives it. */
const refuseOthers = (
  name: string,
  { takes, takesWithoutArgument = takes }: View,
  argument: string | undefined,
  options: Readonly<Record<string, unknown>>,
): void => {
  const taken: readonly string[] = argument === undefined ? takesWithoutArgument : takes
  const other = Object.keys(options).find((option) => isGiven(options[option]) && !taken.includes(option))
  if (other === undefined) return
  const those = taken.length === 0 ? 'no option' : taken.map((option) => `--${option}`).join(', ')
  const question = takes !== takesWithoutArgument && argument === undefined ? `${name}" alone` : `${name}"`
  throw new RemediumError('bad-argument', `--${other} means nothing to "${question}.`, {
    hint: `It takes ${those}.`,
  })
}

/** Only what was given. */
const present = <T extends object>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

export const telemetry = defineCommand({
  summary: 'Show what is known of the system on a cluster: services, graph, logs, traces, metrics, alerts',
  positionals: 'CLUSTER|FILE QUESTION [ARGUMENT]',
  examples: [
    'remedium telemetry shop services                          whom any signal came from',
    'remedium telemetry shop graph --from 30s                  who called whom in the last half minute',
    'remedium telemetry shop endpoints --service cartservice   rate, errors and latency of its endpoints',
    'remedium telemetry shop journeys                          how users fared',
    'remedium telemetry shop logs --severity warn --limit 20   the last warnings and errors that pods printed',
    'remedium telemetry shop errors                            one example of each different failure',
    'remedium telemetry shop traces --slower 500               traces with a span of more than half a second',
    'remedium telemetry shop trace 4bf92f3577b34da6a3ce929d0e0e4736',
    'remedium telemetry shop metrics                           what is measured, then: metrics NAME',
    'remedium telemetry shop events                            what Kubernetes told',
    'remedium telemetry run.sqlite alerts                      from a file that was kept',
    'remedium telemetry shop sql "SELECT * FROM edges"         anything else; docs/telemetry.md lists the tables',
  ],
  options: {
    from: {
      type: 'string',
      value: 'TIME',
      about: 'from a moment (2026-11-15T09:30:00Z), or so long before the last signal (30s, 5m)',
    },
    to: {
      type: 'string',
      value: 'TIME',
      about: 'until a moment, said in the same way (default: the last signal)',
    },
    service: { type: 'string', value: 'NAME', about: 'of this service only', multiple: true },
    limit: {
      type: 'integer',
      value: 'N',
      about: 'at most so many: the newest, of errors the most frequent (default: 100, of endpoints 10000)',
      least: 1,
    },
    severity: {
      type: 'string',
      value: 'SEVERITY',
      about: 'log lines of this severity or a higher one: debug, info, warn or error',
      choices: ['debug', 'info', 'warn', 'error'],
    },
    contains: { type: 'string', value: 'TEXT', about: 'log lines with this in them' },
    pod: { type: 'string', value: 'POD', about: 'log lines of this pod' },
    failed: { type: 'boolean', about: 'traces with a span in error only' },
    slower: { type: 'integer', value: 'MS', about: 'traces with a span of more than so many milliseconds' },
  },
  async run({ positionals: [target, name, argument, ...more], options, answer }) {
    const { VIEWS } = await import('../telemetry/views.ts')
    const names = Object.keys(VIEWS).join(', ')
    if (target === undefined || name === undefined || more.length > 0)
      throw new RemediumError('bad-argument', 'Name a cluster or a file, and one question.', {
        hint: `The questions are ${names}.`,
      })
    const view = Object.hasOwn(VIEWS, name) ? VIEWS[name]! : undefined
    if (view === undefined)
      throw new RemediumError('bad-argument', `There is no question "${name}".`, {
        hint: `The questions are ${names}.`,
      })
    const wanted = view.argument ?? ''
    if (
      (wanted !== '' && !wanted.startsWith('[') && argument === undefined) ||
      (wanted === '' && argument !== undefined)
    )
      throw new RemediumError('bad-argument', `"${name}" takes ${wanted === '' ? 'no argument' : wanted}.`)
    refuseOthers(name, view, argument, options)
    const { openTarget } = await import('../telemetry/open-target.ts')
    const { parseTimeRange } = await import('../telemetry/time-range.ts')
    const opened = await openTarget(target)
    try {
      const extent = (await opened.query.extent()) ?? { from: 0, to: 1 }
      const { severity, limit, contains, pod, failed, slower, service } = options
      const question = present({
        range: parseTimeRange(options, extent),
        limit,
        severity,
        contains,
        pod,
        slowerThanMs: slower,
        services: service.length === 0 ? undefined : service,
        errors: failed ? true : undefined,
      })
      const { value, text } = await view.ask(opened, question, argument ?? '')
      answer(value, text)
    } finally {
      await opened.close()
    }
    return 0
  },
})
