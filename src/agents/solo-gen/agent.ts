/** One prompt, one playbook: the model is asked once, and what it writes is run as it is. */
import {
  type AgentOptions,
  CONVERSATION_OPTIONS,
  createConversation,
  describeBriefing,
  describePlaybooks,
  findPlaybook,
  HOUSE_RULES,
  isMending,
  parseAgentOptions,
  submit,
} from '../../agent-parts/index.ts'
import {
  type Agent,
  type AgentContext,
  type AgentStep,
  type Briefing,
  defineAgent,
} from '../../spec/index.ts'

const ROLE = 'solver'

const toPrompt = (briefing: Briefing): string => {
  const { task, namespace } = briefing
  const how = isMending(task)
    ? [
        'You cannot look at the system, and you have one answer: write the playbook that mends it, and hand it over by one',
        'call of `run_playbook`. It is run at once, and nobody asks you again. Let it look for itself at what it must know',
        '(by `kubernetes.core.k8s_info`), so that it works whatever the objects are named.',
        ...(task === 'end-to-end' ? ['Call `submit` with your answers in the same answer.'] : []),
        describePlaybooks(namespace),
      ]
    : [
        'You cannot look at the system, and you have one answer: call `submit` with what the report makes likeliest.',
      ]
  return [
    'You are an engineer on call for a system of microservices on Kubernetes.',
    HOUSE_RULES,
    how.join('\n'),
  ].join('\n\n')
}

async function* solve(
  options: { contextLetters: number; outputTokens?: number | undefined },
  { briefing, actions, model, signal }: AgentContext,
): AsyncGenerator<AgentStep, void, void> {
  const conversation = createConversation(model(ROLE), toPrompt(briefing), {
    mostLetters: options.contextLetters,
    mostOutputTokens: options.outputTokens,
    signal,
  })
  conversation.say(describeBriefing(briefing))
  const wanted = isMending(briefing.task) ? ['run_playbook', 'submit'] : ['submit']
  const answer = await conversation.ask(actions.available.filter(({ name }) => wanted.includes(name)))
  if (answer.text.trim() !== '') yield { role: ROLE, thought: answer.text.trim() }

  const found = isMending(briefing.task) ? findPlaybook(answer) : undefined
  if (found !== undefined) {
    const { ok } = await actions.call('run_playbook', { playbook: found.playbook })
    yield { role: ROLE, thought: ok ? 'The playbook ran to its end.' : 'The playbook failed.' }
  } else if (isMending(briefing.task)) {
    yield { role: ROLE, thought: 'There is no playbook in the answer, so nothing is run.' }
  }
  await submit(actions, answer.toolCalls.find(({ name }) => name === 'submit')?.input)
}

export const createAgent = (given: AgentOptions = {}): Agent => {
  const options = parseAgentOptions('solo-gen', CONVERSATION_OPTIONS, given)
  return defineAgent({
    name: 'solo-gen',
    about: 'one prompt, one playbook',
    roles: [ROLE],
    solve: (context) => solve(options, context),
  })
}

export const agent = createAgent()
