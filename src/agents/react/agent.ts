/** Thought, action, observation, over and over, with every action there is, until it submits. */
import {
  type AgentOptions,
  act,
  atLeastOne,
  CONVERSATION_OPTIONS,
  type Conversation,
  createConversation,
  describeBriefing,
  describePlaybooks,
  HOUSE_RULES,
  isInput,
  isMending,
  parseAgentOptions,
  toToolText,
} from '../../agent-parts/index.ts'
import {
  type Agent,
  type AgentContext,
  type AgentStep,
  type Briefing,
  defineAgent,
  type ModelAnswer,
  type ToolCall,
} from '../../spec/index.ts'

const ROLE = 'solver'

const OPTIONS = {
  ...CONVERSATION_OPTIONS,
  /** Answers in a row with nothing in them that can be done, after which it gives up. */
  idleAnswers: atLeastOne(3),
}

const toPrompt = ({ task, namespace }: Briefing): string =>
  [
    'You are an engineer on call for a system of microservices on Kubernetes. You work by tools, one step at a time:',
    'say briefly what you think and what you want to know next, call the tool that tells it, read what comes back.',
    'Begin with what users and alerts say, follow the errors along the calls to the service where they arise, and look',
    'there at logs, objects and events until you know the cause. Do not repeat a call that told you nothing new.',
    ...(isMending(task)
      ? [
          'Then mend the cause, wait a little, and look again whether users are served. If they are not, think again:',
          'what you did may be wrong or not enough. Submit only when you have seen that it is mended.',
          describePlaybooks(namespace),
        ]
      : []),
    HOUSE_RULES,
    'You are done when you have called `submit`; until then every answer of yours calls a tool.',
  ].join('\n')

const nudge = ({ finish }: ModelAnswer): string =>
  finish === 'length'
    ? 'Your answer was cut off, being too long. Be shorter, and call one tool.'
    : 'There was no tool call in your answer. Go on with one, or call `submit` if you are done.'

interface Done {
  /** Whether any call could be tried at all; a submission that is refused costs no step, and is none. */
  readonly acted: boolean
  readonly submitted: boolean
}

/** Takes the actions of one answer in their order; what stands behind a submission is not done any more. */
const takeActions = async (
  calls: readonly ToolCall[],
  { actions }: AgentContext,
  conversation: Conversation,
): Promise<Done> => {
  let acted = false
  for (const call of calls) {
    const observation = await act(actions, call)
    if (call.name === 'submit' && observation.ok) return { acted: true, submitted: true }
    acted ||= isInput(call.input) && call.name !== 'submit'
    conversation.observe(call, toToolText(observation))
  }
  return { acted, submitted: false }
}

type Options = ReturnType<typeof parseAgentOptions<typeof OPTIONS>>

async function* solve(options: Options, context: AgentContext): AsyncGenerator<AgentStep, void, void> {
  const { briefing, actions, signal } = context
  const conversation = createConversation(context.model(ROLE), toPrompt(briefing), {
    mostLetters: options.contextLetters,
    mostOutputTokens: options.outputTokens,
    signal,
  })
  conversation.say(describeBriefing(briefing))
  for (let idle = 0; idle < options.idleAnswers; ) {
    const answer = await conversation.ask(actions.available)
    if (answer.text.trim() !== '') yield { role: ROLE, thought: answer.text.trim() }
    const { acted, submitted } = await takeActions(answer.toolCalls, context, conversation)
    if (submitted) return
    idle = acted ? 0 : idle + 1
    if (answer.toolCalls.length === 0) conversation.say(nudge(answer))
  }
  yield { role: ROLE, thought: `I give up: ${options.idleAnswers} answers in a row held nothing to be done.` }
}

export const createAgent = (given: AgentOptions = {}): Agent => {
  const options = parseAgentOptions('react', OPTIONS, given)
  return defineAgent({
    name: 'react',
    about: 'thought, action, observation over the whole interface',
    roles: [ROLE],
    solve: (context) => solve(options, context),
  })
}

export const agent = createAgent()
