/** `remedium telemetry`: queries the telemetry of a system. */
import { defined } from '#kit'
import { RemediumError } from '#spec'
import { defineCommand } from '../define-command.ts'
import { MAX_SECONDS } from '../integer-options.ts'
import type { View } from '../telemetry/views.ts'

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false

/** Rejects an option that the view does not use. */
const rejectUnusedOptions = (
  name: string,
  view: View,
  argument: string | undefined,
  given: Readonly<Record<string, unknown>>,
): void => {
  const { options, optionsWithoutArgument = options } = view
  const valid: readonly string[] = argument === undefined ? optionsWithoutArgument : options
  const unused = Object.keys(given).find((option) => isGiven(given[option]) && !valid.includes(option))
  if (unused === undefined) return
  const lacksArgument = options !== optionsWithoutArgument && argument === undefined
  throw new RemediumError(
    'bad-argument',
    `The view "${name}"${lacksArgument ? ' without an argument' : ''} does not use --${unused}.`,
    {
      hint:
        valid.length === 0
          ? 'It has no options.'
          : `Its options are: ${valid.map((option) => `--${option}`).join(', ')}.`,
    },
  )
}

const findView = (
  views: Readonly<Record<string, View>>,
  name: string,
  argument: string | undefined,
): View => {
  const view = Object.hasOwn(views, name) ? views[name]! : undefined
  if (view === undefined)
    throw new RemediumError('bad-argument', `There is no view "${name}".`, {
      hint: `The views are: ${Object.keys(views).join(', ')}.`,
    })
  const expected = view.argument ?? ''
  const isRequired = expected !== '' && !expected.startsWith('[')
  if (isRequired && argument === undefined)
    throw new RemediumError('bad-argument', `The view "${name}" requires the argument ${expected}.`)
  if (expected === '' && argument !== undefined)
    throw new RemediumError('bad-argument', `The view "${name}" takes no argument.`)
  return view
}

export const telemetry = defineCommand({
  summary: 'Query the telemetry of a system: services, graph, logs, traces, metrics, alerts',
  positionals: 'CLUSTER|FILE VIEW [ARGUMENT]',
  examples: [
    'remedium telemetry shop services                          services with any signal',
    'remedium telemetry shop graph --from 30s                  calls between services in the last 30 seconds',
    'remedium telemetry shop endpoints --service cartservice   rate, errors and latency of its endpoints',
    'remedium telemetry shop journeys                          success and latency of user journeys',
    'remedium telemetry shop logs --severity warn --limit 20   the latest warnings and errors in logs',
    'remedium telemetry shop errors                            an example of each kind of failed span',
    'remedium telemetry shop traces --slower 500               traces with a span longer than 500 ms',
    'remedium telemetry shop trace 4bf92f3577b34da6a3ce929d0e0e4736',
    'remedium telemetry shop metrics                           names of metrics; then: metrics NAME',
    'remedium telemetry shop events                            Kubernetes events',
    'remedium telemetry run.sqlite alerts                      query a file instead of a cluster',
    'remedium telemetry shop sql "SELECT * FROM edges"         any query; docs/telemetry.md lists the tables',
  ],
  options: {
    from: {
      type: 'string',
      value: 'TIME',
      about: 'the start: a time (2026-11-15T09:30:00Z), or a duration before the last signal (30s, 5m)',
    },
    to: {
      type: 'string',
      value: 'TIME',
      about: 'the end, in the same format (default: the last signal)',
    },
    service: { type: 'string', value: 'NAME', about: 'only signals of this service', multiple: true },
    limit: {
      type: 'integer',
      value: 'N',
      about:
        'the maximum number of results: the newest, or the most frequent errors (default: 100, endpoints 10000)',
      min: 1,
      max: 1_000_000,
    },
    severity: {
      type: 'string',
      value: 'SEVERITY',
      about: 'log lines of at least this severity: debug, info, warn or error',
      choices: ['debug', 'info', 'warn', 'error'],
    },
    contains: { type: 'string', value: 'TEXT', about: 'log lines that contain this text' },
    pod: { type: 'string', value: 'POD', about: 'log lines of this pod' },
    failed: { type: 'boolean', about: 'only traces with a failed span' },
    slower: {
      type: 'integer',
      value: 'MS',
      about: 'only traces with a span longer than this',
      min: 0,
      max: MAX_SECONDS * 1000,
    },
  },
  async run({ positionals: [target, name, argument, ...more], options, answer }) {
    const { VIEWS } = await import('../telemetry/views.ts')
    if (target === undefined || name === undefined || more.length > 0)
      throw new RemediumError('bad-argument', 'Name a cluster or a file, and one view.', {
        hint: `The views are: ${Object.keys(VIEWS).join(', ')}.`,
      })
    const view = findView(VIEWS, name, argument)
    rejectUnusedOptions(name, view, argument, options)
    const { openTarget } = await import('../telemetry/open-target.ts')
    const { parseTimeRange } = await import('../telemetry/time-range.ts')
    const opened = await openTarget(target)
    try {
      const extent = (await opened.query.extent()) ?? { from: 0, to: 1 }
      const { severity, limit, contains, pod, failed, slower, service } = options
      const filter = defined({
        range: parseTimeRange(options, extent),
        limit,
        severity,
        contains,
        pod,
        slowerThanMs: slower,
        services: service.length === 0 ? undefined : service,
        errors: failed ? true : undefined,
      })
      const { value, text } = await view.query(opened, filter, argument ?? '')
      answer(value, text)
    } finally {
      await opened.close()
    }
    return 0
  },
})
