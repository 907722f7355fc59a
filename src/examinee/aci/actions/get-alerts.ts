/** The action get_alerts. */
import { z } from 'zod'
import type { Alert } from '#spec'
import { defineAction } from '../define-action.ts'
import { toClock, toText } from '../to-text.ts'

const describe = ({ name, severity, labels, summary, raised, cleared }: Alert): string => {
  const stateText = cleared === undefined ? 'active' : `cleared ${toClock(cleared)}`
  const labelTexts = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return `[${severity}] ${name}: ${summary} (raised ${toClock(raised)}, ${stateText}; ${labelTexts.join(', ')})`
}

/** Active alerts before cleared ones, pages before tickets, older before newer. */
const byPriority = (a: Alert, b: Alert): number =>
  Number(a.cleared !== undefined) - Number(b.cleared !== undefined) ||
  Number(a.severity === 'ticket') - Number(b.severity === 'ticket') ||
  a.raised - b.raised

export const getAlerts = defineAction({
  name: 'get_alerts',
  about:
    'Returns the active alerts: failing or slow user journeys and services; pods that crash, cannot start or are not ready; ' +
    'containers near their limits. Alerts of severity page come before those of severity ticket, and older ones before newer ones. Set all to true to ' +
    'include alerts that have cleared.',
  example: {},
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    all: z.boolean().optional().describe('Whether to include alerts that have cleared. Default: false.'),
  }),
  async run({ telemetry }, { all = false }) {
    const found = await telemetry.alerts(all ? {} : { active: true })
    const alerts = found.toSorted(byPriority)
    const text = toText(
      [{ title: all ? 'Alerts' : 'Active alerts', lines: alerts.map(describe), ifEmpty: 'none' }],
      'Output truncated. To see more, call query_telemetry with SELECT name, summary, raised, cleared FROM alerts.',
    )
    return { ok: true, text, data: alerts }
  },
})
