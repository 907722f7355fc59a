/** ReAct: repeats thought, action and observation, with all actions, until it submits. */
import {
  type AgentOptions,
  CONVERSATION_OPTIONS,
  type Conversation,
  createConversation,
  describeBriefing,
  describePlaybooks,
  describeRules,
  parseAgentOptions,
  performCall,
  positiveInteger,
  toToolText,
} from '#examinee/agent-parts'
import { isPlainObject } from '#kit'
import {
  type Agent,
  type AgentContext,
  type AgentStep,
  type Briefing,
  defineAgent,
  type ModelAnswer,
  type ToolCall,
  taskOf,
} from '#spec'

const ROLE = 'solver'

const OPTIONS = {
  ...CONVERSATION_OPTIONS,
  /** The number of consecutive answers without a valid call after which the agent gives up. */
  idleAnswers: positiveInteger(3),
}

const toPrompt = ({ task, namespace }: Briefing): string =>
  [
    'You are the on-call engineer for a microservice system on Kubernetes. You work with tools, step by step: explain',
    'briefly what you conclude and what you need to know next, call a tool, and evaluate its result.',
    ...(taskOf(task).repairs
      ? [
          'A change takes several seconds to affect users. Alerts and metrics show whether user requests succeed.',
          describePlaybooks(namespace),
        ]
      : []),
    describeRules(task),
    'Every response must call a tool. To end your work, call `submit`.',
  ].join('\n')

const toReminder = ({ finish }: ModelAnswer): string =>
  finish === 'length'
    ? 'Your response exceeded the maximum length and was truncated. Write a shorter response, and call one tool.'
    : 'Your response contained no tool call. Call a tool, or call `submit` if you are done.'

interface CallsResult {
  /** Whether an action was performed. A refused `submit`, which costs no step, does not count. */
  readonly acted: boolean
  readonly submitted: boolean
}

/** Performs the calls of one answer in order. Calls after a successful `submit` are skipped. */
const performCalls = async (
  calls: readonly ToolCall[],
  { actions }: AgentContext,
  conversation: Conversation,
): Promise<CallsResult> => {
  let acted = false
  for (const call of calls) {
    const observation = await performCall(actions, call)
    if (call.name === 'submit' && observation.ok) return { acted: true, submitted: true }
    acted ||= isPlainObject(call.input) && call.name !== 'submit'
    conversation.observe(call, toToolText(observation))
  }
  return { acted, submitted: false }
}

type Options = ReturnType<typeof parseAgentOptions<typeof OPTIONS>>

async function* solve(options: Options, context: AgentContext): AsyncGenerator<AgentStep, void, void> {
  const { briefing, actions, signal } = context
  const conversation = createConversation(context.model(ROLE), toPrompt(briefing), {
    maxCharacters: options.contextCharacters,
    maxOutputTokens: options.outputTokens,
    signal,
  })
  conversation.say(describeBriefing(briefing))
  for (let idle = 0; idle < options.idleAnswers; ) {
    const answer = await conversation.ask(actions.available)
    if (answer.text.trim() !== '') yield { role: ROLE, thought: answer.text.trim() }
    const { acted, submitted } = await performCalls(answer.toolCalls, context, conversation)
    if (submitted) return
    idle = acted ? 0 : idle + 1
    if (answer.toolCalls.length === 0) conversation.say(toReminder(answer))
  }
  yield {
    role: ROLE,
    thought: `Giving up: ${options.idleAnswers} consecutive responses contained no valid call.`,
  }
}

export const createAgent = (agentOptions: AgentOptions = {}): Agent => {
  const options = parseAgentOptions('react', OPTIONS, agentOptions)
  return defineAgent({
    name: 'react',
    about: 'ReAct: thought, action, observation, with all actions',
    roles: [ROLE],
    solve: (context) => solve(options, context),
  })
}

export const agent = createAgent()
