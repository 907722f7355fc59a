/** The Verification: checks whether users are served again and the cause is gone, and gives a verdict with evidence. */
import { toToolText } from '#examinee/agent-parts'
import type { AgentContext, AgentStep, ToolDescription } from '#spec'
import { observeSystem } from './observe-system.ts'
import { startConversation, type ThinkRemedOptions } from './options.ts'

export const VERIFICATION = 'verification'

export interface Verification {
  readonly healthy: boolean
  readonly evidence: string
}

const VERDICT: ToolDescription = {
  name: 'give_verdict',
  about: 'Gives your verdict and ends your work.',
  input: {
    type: 'object',
    properties: {
      healthy: {
        type: 'boolean',
        description: 'true if users are served as usual and the cause is gone; otherwise false',
      },
      evidence: {
        type: 'string',
        description: 'The observations that support the verdict, with numbers and names.',
      },
    },
    required: ['healthy', 'evidence'],
  },
}

const SYSTEM = [
  'A colleague has tried to repair a microservice system on Kubernetes. Verify the repair. Base your verdict on observations',
  'only. The system is healthy if requests of users succeed with the usual latency, and the cause of the problem is gone and',
  'not only hidden. An alert from before the repair can take a while to clear; in that case use the metrics since the repair.',
  'If the given observations are not sufficient, call tools. At the end, call `give_verdict`.',
].join('\n')

/** Returns the alerts, and the metrics since the playbook. */
const observeAlertsAndMetrics = async ({ actions }: AgentContext, seconds: number): Promise<string> => {
  const calls = [
    ['get_alerts', {}],
    ['get_metrics', { since_seconds: Math.max(5, Math.ceil(seconds)) }],
  ] as const
  const observations: string[] = []
  for (const [name, input] of calls) {
    if (!actions.available.some((action) => action.name === name)) continue
    observations.push(`${name} ${JSON.stringify(input)}:\n${toToolText(await actions.call(name, input))}`)
  }
  return observations.join('\n\n')
}

/** Parses a verdict that was written as text instead of called. */
const parseWrittenVerdict = (text: string): Verification | undefined => {
  const value = /"?\bhealthy\b"?\s*[:=]\s*"?(true|false|yes|no)\b/i.exec(text)?.[1]?.toLowerCase()
  if (value === undefined) return undefined
  return { healthy: value === 'true' || value === 'yes', evidence: text }
}

export async function* verify(
  context: AgentContext,
  options: ThinkRemedOptions,
  repairSummary: string,
): AsyncGenerator<AgentStep, Verification, void> {
  await context.sleep(options.settleSeconds * 1000)
  const { namespace, report } = context.briefing
  const conversation = startConversation(context, options, VERIFICATION, SYSTEM)
  conversation.say(
    [
      `The namespace is "${namespace}". The incident report: ${report.text || '(none)'}`,
      `The repair ended ${options.settleSeconds} seconds ago. Its outcome:\n${repairSummary}`,
      `Current observations:\n${await observeAlertsAndMetrics(context, options.settleSeconds)}`,
    ].join('\n\n'),
  )
  const task = { role: VERIFICATION, conversation, closingTool: VERDICT, rounds: options.observationRounds }
  const { input, text } = yield* observeSystem(context, task)
  const calledVerdict =
    typeof input?.healthy === 'boolean'
      ? { healthy: input.healthy, evidence: String(input.evidence ?? text) }
      : undefined
  const verdict = calledVerdict ??
    parseWrittenVerdict(text) ?? { healthy: false, evidence: text || 'The model gave no verdict.' }
  yield { role: VERIFICATION, thought: `${verdict.healthy ? 'Healthy' : 'Not healthy'}: ${verdict.evidence}` }
  return verdict
}
