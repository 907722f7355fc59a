/** Observes the system with read-only actions until the model calls a closing tool; shared by Probe and Verification. */
import { type Conversation, performCall, toToolText } from '#examinee/agent-parts'
import { isPlainObject } from '#kit'
import type { AgentContext, AgentStep, ToolDescription } from '#spec'

export interface ObservationTask {
  readonly role: string
  readonly conversation: Conversation
  /** The tool that ends the observation. */
  readonly closingTool: ToolDescription
  readonly rounds: number
}

export interface ObservationResult {
  /** The input of the closing tool. Absent if it was not called. */
  readonly input?: Readonly<Record<string, unknown>>
  /** The text of the last answer. */
  readonly text: string
}

/** Ends when the closing tool is called, or at an answer without a call. The last round offers only the closing tool. */
export async function* observeSystem(
  { actions }: AgentContext,
  { role, conversation, closingTool, rounds }: ObservationTask,
): AsyncGenerator<AgentStep, ObservationResult, void> {
  const readOnlyActions = actions.available.filter(({ isReadOnly, name }) => isReadOnly && name !== 'submit')
  let text = ''
  for (let round = 1; round <= rounds; round += 1) {
    const isLast = round === rounds
    const offered = isLast ? [] : readOnlyActions
    if (isLast && round > 1)
      conversation.say(`No further observations are possible. Call \`${closingTool.name}\` now.`)
    const tools = [...offered, closingTool]
    const answer = await conversation.ask(tools)
    text = answer.text.trim()
    if (text !== '') yield { role, thought: text }
    if (answer.toolCalls.length === 0) return { text }
    const closingCall = answer.toolCalls.find(
      ({ name, input }) => name === closingTool.name && isPlainObject(input),
    )
    if (closingCall !== undefined) return { input: closingCall.input as Record<string, unknown>, text }
    for (const call of answer.toolCalls) {
      const isAllowed = offered.some(({ name }) => name === call.name)
      const refusal = {
        ok: false,
        text: `The tool ${call.name} is not available. Available tools: ${tools.map(({ name }) => name).join(', ')}.`,
      }
      conversation.observe(call, toToolText(isAllowed ? await performCall(actions, call) : refusal))
    }
  }
  return { text }
}
