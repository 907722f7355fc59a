/** The action get_alerts. */
import { z } from 'zod'
import type { Alert } from '../../spec/index.ts'
import { defineAction } from '../define-action.ts'
import { toClock, toText } from '../to-text.ts'

const describe = ({ name, severity, labels, summary, raised, cleared }: Alert): string => {
  const until = cleared === undefined ? 'still holds' : `cleared ${toClock(cleared)}`
  const where = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return `[${severity}] ${name}: ${summary} (raised ${toClock(raised)}, ${until}; ${where.join(', ')})`
}

/** Those that still hold come first, pages before tickets, the oldest before the newer. */
const byWeight = (one: Alert, other: Alert): number =>
  Number(one.cleared !== undefined) - Number(other.cleared !== undefined) ||
  Number(one.severity === 'ticket') - Number(other.severity === 'ticket') ||
  one.raised - other.raised

export const getAlerts = defineAction({
  name: 'get_alerts',
  about:
    'Gives the alerts that hold now: what users and services suffer from, pods that crash, wait or are not ready, ' +
    'containers near their limits. A good first question. The oldest alert is often nearest to the cause. ' +
    'With all=true also those that have cleared.',
  example: {},
  isReadOnly: true,
  input: z.strictObject({
    all: z.boolean().optional().describe('Whether to give those that have cleared, too; false where absent.'),
  }),
  async run({ telemetry }, { all = false }) {
    const found = await telemetry.alerts(all ? {} : { active: true })
    const alerts = found.toSorted(byWeight)
    const text = toText(
      [{ title: all ? 'Alerts' : 'Alerts that hold now', lines: alerts.map(describe), otherwise: 'none' }],
      'The rest: query_telemetry with SELECT name, summary, raised, cleared FROM alerts.',
    )
    return { ok: true, text, data: alerts }
  },
})
