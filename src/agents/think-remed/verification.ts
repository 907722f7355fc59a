/** The Verification: looks whether users are served again and the cause is gone, and says so with evidence. */
import { toToolText } from '../../agent-parts/index.ts'
import type { AgentContext, AgentStep, ToolDescription } from '../../spec/index.ts'
import { lookAround } from './look-around.ts'
import { converse, type ThinkRemedOptions } from './options.ts'

export const VERIFICATION = 'verification'

export interface Verification {
  readonly healthy: boolean
  readonly evidence: string
}

const VERDICT: ToolDescription = {
  name: 'give_verdict',
  about: 'Ends your work with what you found.',
  input: {
    type: 'object',
    properties: {
      healthy: { type: 'boolean', description: 'true only where users are served and the cause is gone' },
      evidence: { type: 'string', description: 'the observations that show it, with figures and names' },
    },
    required: ['healthy', 'evidence'],
  },
}

const SYSTEM = [
  'You verify repairs of a system of microservices on Kubernetes. You did not make the repair, and you believe nothing that',
  'you have not seen. The system is healthy where users are served: their requests succeed and are as quick as usual,',
  'no alert has been raised since, the pods that were changed are ready, and what was wrong is gone and not only hidden.',
  'An alert that is older than the repair may still be on its way to clear: look at the figures since then. Use the tools',
  'where what you are shown does not decide it, and end by calling `give_verdict`.',
].join('\n')

/** What is looked at in any case, over the time since the playbook. */
const firstLook = async ({ actions }: AgentContext, seconds: number): Promise<string> => {
  const looks = [
    ['get_alerts', {}],
    ['get_metrics', { since_seconds: Math.max(5, Math.ceil(seconds)) }],
  ] as const
  const seen: string[] = []
  for (const [name, input] of looks) {
    if (!actions.available.some((one) => one.name === name)) continue
    seen.push(`${name} ${JSON.stringify(input)}:\n${toToolText(await actions.call(name, input))}`)
  }
  return seen.join('\n\n')
}

/** A verdict that was written instead of called. */
const inWords = (text: string): Verification | undefined => {
  const said = /"?\bhealthy\b"?\s*[:=]\s*"?(true|false|yes|no)\b/i.exec(text)?.[1]?.toLowerCase()
  if (said === undefined) return undefined
  return { healthy: said === 'true' || said === 'yes', evidence: text }
}

export async function* verify(
  context: AgentContext,
  options: ThinkRemedOptions,
  done: string,
): AsyncGenerator<AgentStep, Verification, void> {
  await context.sleep(options.settleSeconds * 1000)
  const { namespace, report } = context.briefing
  const conversation = converse(context, options, VERIFICATION, SYSTEM)
  conversation.say(
    [
      `The namespace is "${namespace}". What was reported: ${report.text || '(nothing)'}`,
      `What was done ${options.settleSeconds} seconds ago:\n${done}`,
      `What can be seen now:\n${await firstLook(context, options.settleSeconds)}`,
    ].join('\n\n'),
  )
  const look = { role: VERIFICATION, conversation, closing: VERDICT, rounds: options.looks }
  const { input, text } = yield* lookAround(context, look)
  const called =
    typeof input?.healthy === 'boolean'
      ? { healthy: input.healthy, evidence: String(input.evidence ?? text) }
      : undefined
  const verdict = called ?? inWords(text) ?? { healthy: false, evidence: text || 'No verdict was given.' }
  yield { role: VERIFICATION, thought: `${verdict.healthy ? 'Healthy' : 'Not healthy'}: ${verdict.evidence}` }
  return verdict
}
