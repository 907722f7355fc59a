/** The Coordinator: decides whether to probe, writes the playbooks, and learns from those that did not help. */
import {
  type Conversation,
  describeBriefing,
  describePlaybooks,
  findPlaybook,
  HOUSE_RULES,
  isInput,
  isMending,
} from '../../agent-parts/index.ts'
import type {
  AgentContext,
  AgentStep,
  Briefing,
  ModelAnswer,
  ToolCall,
  ToolDescription,
} from '../../spec/index.ts'
import { converse, type ThinkRemedOptions } from './options.ts'

export const COORDINATOR = 'coordinator'

/** `call` is what has to be answered; absent where it was said in the text. */
export type Decision = { readonly call?: ToolCall } & (
  | { readonly kind: 'probe'; readonly question: string }
  | { readonly kind: 'playbook'; readonly playbook: string }
  | { readonly kind: 'submit'; readonly answers: unknown }
  /** It could not be brought to decide anything. */
  | { readonly kind: 'nothing' }
)

const PROBE_TOOL: ToolDescription = {
  name: 'probe',
  about: 'Asks your colleague, who can look at alerts, metrics, logs, traces and objects but change nothing.',
  input: {
    type: 'object',
    properties: { question: { type: 'string', description: 'one question that looking can answer' } },
    required: ['question'],
  },
}

/** How often it is reminded to decide before it counts as undecided. */
const REMINDERS = 2

const toPrompt = ({ task, namespace }: Briefing, { trials, probes }: ThinkRemedOptions): string =>
  [
    'You coordinate the repair of a system of microservices on Kubernetes. You do not touch it yourself: a colleague looks',
    `at it for you (\`probe\`, at most ${probes} questions before each decision), and you reason about what is seen.`,
    ...(isMending(task)
      ? [
          'When you know enough, hand over a playbook (`run_playbook`). It is run, somebody else verifies whether the system is',
          `healthy, and you hear of both. You have ${trials} such trials. Where the report already says what to do, you need no`,
          'probe; where a playbook would rest on a guess, probe first. If nothing is wrong, or nothing is left to be done,',
          'call `submit`.',
          describePlaybooks(namespace),
        ]
      : ['When you know the answer, call `submit`.']),
    'With each answer say briefly what you think, and call exactly one tool.',
    HOUSE_RULES,
  ].join('\n')

/** What the first usable call of an answer decides. */
const toDecision = (answer: ModelAnswer, offered: ReadonlySet<string>): Decision | undefined => {
  for (const call of answer.toolCalls.filter(({ name }) => offered.has(name))) {
    const { question } = (isInput(call.input) ? call.input : {}) as { question?: unknown }
    if (call.name === 'probe' && typeof question === 'string' && question.trim() !== '')
      return { kind: 'probe', question, call }
    if (call.name === 'submit' && isInput(call.input)) return { kind: 'submit', answers: call.input, call }
    const found = call.name === 'run_playbook' ? findPlaybook({ text: '', toolCalls: [call] }) : undefined
    if (found !== undefined) return { kind: 'playbook', playbook: found.playbook, call }
  }
  const written = offered.has('run_playbook') ? findPlaybook({ text: answer.text, toolCalls: [] }) : undefined
  return written === undefined ? undefined : { kind: 'playbook', playbook: written.playbook }
}

export interface Coordinator {
  decide(mayProbe: boolean): AsyncGenerator<AgentStep, Decision, void>
  /** What came of its last decision. */
  tell(decision: Decision, text: string): void
  /** Its answers, when nothing else is left to decide. */
  conclude(): AsyncGenerator<AgentStep, Decision, void>
}

/** Every call needs an answer before the model is asked again; those that were not taken get this one. */
const refuseOthers = (conversation: Conversation, answer: ModelAnswer, taken: ToolCall | undefined): void => {
  for (const call of answer.toolCalls)
    if (call !== taken)
      conversation.observe(call, 'This was not done: one call at a time, with complete input.')
}

export const createCoordinator = (context: AgentContext, options: ThinkRemedOptions): Coordinator => {
  const { briefing, actions } = context
  const conversation = converse(context, options, COORDINATOR, toPrompt(briefing, options))
  conversation.say(describeBriefing(briefing))
  const own = actions.available.filter(
    ({ name }) => name === 'submit' || (name === 'run_playbook' && isMending(briefing.task)),
  )

  async function* choose(tools: readonly ToolDescription[]): AsyncGenerator<AgentStep, Decision, void> {
    const offered = new Set(tools.map(({ name }) => name))
    for (let asked = 0; asked <= REMINDERS; asked += 1) {
      const answer = await conversation.ask(tools)
      if (answer.text.trim() !== '') yield { role: COORDINATOR, thought: answer.text.trim() }
      const decision = toDecision(answer, offered)
      refuseOthers(conversation, answer, decision?.call)
      if (decision !== undefined) return decision
      conversation.say(`Decide: call one of ${[...offered].join(', ')}, with complete input.`)
    }
    return { kind: 'nothing' }
  }

  return {
    decide: (mayProbe) => choose(mayProbe ? [PROBE_TOOL, ...own] : own),
    tell(decision, text) {
      if (decision.call === undefined) conversation.say(text)
      else conversation.observe(decision.call, text)
    },
    conclude() {
      conversation.say('The work on the system is over. Call `submit` with your answers now.')
      return choose(own.filter(({ name }) => name === 'submit'))
    },
  }
}
