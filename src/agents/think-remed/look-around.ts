/** Looking at the system with read-only actions until a closing tool is called: what Probe and Verification both do. */
import { act, type Conversation, isInput, toToolText } from '../../agent-parts/index.ts'
import type { AgentContext, AgentStep, ToolDescription } from '../../spec/index.ts'

export interface Look {
  readonly role: string
  readonly conversation: Conversation
  /** The tool that ends it. */
  readonly closing: ToolDescription
  readonly rounds: number
}

export interface Seen {
  /** What the closing tool was given; absent where it was never called. */
  readonly input?: Readonly<Record<string, unknown>>
  /** What the model said last. */
  readonly text: string
}

/** In the last round nothing but the closing tool is offered; an answer without a call ends it as well. */
export async function* lookAround(
  { actions }: AgentContext,
  { role, conversation, closing, rounds }: Look,
): AsyncGenerator<AgentStep, Seen, void> {
  const looking = actions.available.filter(({ isReadOnly, name }) => isReadOnly && name !== 'submit')
  let text = ''
  for (let round = 1; round <= rounds; round += 1) {
    const isLast = round === rounds
    const offered = isLast ? [] : looking
    if (isLast && round > 1) conversation.say(`That was enough looking: call \`${closing.name}\` now.`)
    const answer = await conversation.ask([...offered, closing])
    text = answer.text.trim()
    if (text !== '') yield { role, thought: text }
    if (answer.toolCalls.length === 0) return { text }
    const closed = answer.toolCalls.find(({ name, input }) => name === closing.name && isInput(input))
    if (closed !== undefined) return { input: closed.input as Record<string, unknown>, text }
    for (const call of answer.toolCalls) {
      const isAllowed = offered.some(({ name }) => name === call.name)
      const refusal = { ok: false, text: `There is no ${call.name} here: look, and call ${closing.name}.` }
      conversation.observe(call, toToolText(isAllowed ? await act(actions, call) : refusal))
    }
  }
  return { text }
}
