/** The Probe: answers a question of the Coordinator by observing the system. */
import type { AgentContext, AgentStep, ToolDescription } from '#spec'
import { observeSystem } from './observe-system.ts'
import { startConversation, type ThinkRemedOptions } from './options.ts'

export const PROBE = 'probe'

const REPORT: ToolDescription = {
  name: 'report',
  about: 'Reports your findings and ends your work.',
  input: {
    type: 'object',
    properties: {
      summary: {
        type: 'string',
        description:
          'The answer to the question, with the numbers, names and log lines that support it, and what remains unknown.',
      },
    },
    required: ['summary'],
  },
}

const SYSTEM = [
  'You observe a microservice system on Kubernetes for a colleague, who asks you one question. Call the tools that are needed',
  'to answer it. You can make several calls in the same response if they do not depend on each other. You cannot change the',
  'system. At the end, call `report`: state what you observed, with names and numbers, and distinguish observations from',
  'conclusions. If the tools did not show the answer, say so.',
].join('\n')

export async function* probe(
  context: AgentContext,
  options: ThinkRemedOptions,
  question: string,
): AsyncGenerator<AgentStep, string, void> {
  const { namespace, report } = context.briefing
  const conversation = startConversation(context, options, PROBE, SYSTEM)
  conversation.say(
    `The namespace is "${namespace}". The incident report: ${report.text || '(none)'}\n\nQuestion: ${question}`,
  )
  const task = { role: PROBE, conversation, closingTool: REPORT, rounds: options.observationRounds }
  const { input, text } = yield* observeSystem(context, task)
  const summary = typeof input?.summary === 'string' ? input.summary.trim() : text
  if (summary === '') return 'The probe found no answer to the question.'
  yield { role: PROBE, thought: summary }
  return summary
}
