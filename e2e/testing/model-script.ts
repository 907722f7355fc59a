/** The answers of the language models in a live run: one solves, one cannot stream, one writes nonsense and then fails. */
import type { ServerAnswer, ServerRequest } from '#examinee/models/testing'
import { CONTACT_REQUEST } from '#lab/launch'

export const PRICE = { input: 3, output: 15, cachedInput: 0.3 }

/** The agents of the run, each with its main model. */
export type Asker = 'solo-gen good' | 'solo-gen bad' | 'think-remed' | 'react good' | 'react bad'

const play = (...tasks: readonly string[]): string =>
  `- hosts: localhost\n  connection: local\n  gather_facts: false\n  tasks:\n${tasks.map((task) => `    - ${task}\n`).join('')}`

/** A new pod is healthy: the stress process runs in the container of the old one. */
export const REPLACE = play(
  'kubernetes.core.k8s_info: {kind: Pod, namespace: simple-micro, label_selectors: [app=hello-service]}\n      register: sick',
  "kubernetes.core.k8s: {state: absent, kind: Pod, namespace: simple-micro, name: '{{ sick.resources[0].metadata.name }}', delete_options: {gracePeriodSeconds: 1}}",
)
export const RESTART = play(
  'kubernetes.core.k8s: {state: patched, api_version: apps/v1, kind: Deployment, namespace: simple-micro, name: hello-service, definition: {spec: {template: {metadata: {annotations: {kubectl.kubernetes.io/restartedAt: now}}}}}}',
)
export const LOOK_ONLY = play('kubernetes.core.k8s_info: {kind: Pod, namespace: simple-micro}')
export const BROKEN = play(
  'kubernetes.core.k8s_scale: {api_version: apps/v1, kind: Deployment, namespace: simple-micro, name: helo-service, replicas: 2}',
)

const call = (name: string, input: object = {}) => ({ name, input })
const handOver = (text: string, playbook: string): ServerAnswer => ({
  text,
  calls: [call('run_playbook', { playbook })],
})

/** The answers in order, by the part of the agent that asks. */
const SCRIPTS: Readonly<Record<string, readonly ServerAnswer[]>> = {
  'solo-gen good': [handOver('I replace the pod in which it burns.', REPLACE)],
  'solo-gen bad': [{ text: `More of them will help.\n\`\`\`yaml\n${BROKEN}\`\`\`` }],
  coordinator: [
    {
      text: 'I must know who burns.',
      calls: [call('probe', { question: 'Which pod uses its CPU up?' })],
    },
    handOver('I look whether it is still so.', LOOK_ONLY),
    handOver('I was wrong: reading repairs nothing. The pod must be replaced.', REPLACE),
  ],
  probe: [
    { calls: [call('get_metrics', { service: 'hello-service' })] },
    { calls: [call('report', { summary: 'The pod of hello-service is at its limit.' })] },
  ],
  execution: [{ text: 'It read pods and changed nothing.' }],
  verification: [
    { calls: [call('give_verdict', { healthy: false, evidence: 'nothing was changed' })] },
    { calls: [call('give_verdict', { healthy: true, evidence: 'users are quick again' })] },
  ],
  'react good': [
    { status: 429, headers: { 'retry-after': '1' } },
    {
      text: 'What burns, and where?',
      calls: [call('get_alerts'), call('get_objects', { kind: 'Pod' })],
    },
    handOver('hello-service: a new pod.', RESTART),
    { text: 'Users are served.', calls: [call('submit')] },
  ],
  'react bad': Array.from({ length: 9 }, () => ({ status: 503, headers: { 'retry-after': '3600' } })),
}

const PARTS: readonly (readonly [tool: string, part: string])[] = [
  ['give_verdict', 'verification'],
  ['report', 'probe'],
  ['probe', 'coordinator'],
  ['get_alerts', 'react'],
  ['run_playbook', 'solo-gen'],
]

const partOf = ({ body: { model, tools = [], messages } }: ServerRequest): string => {
  // Without an interface for tools, a message describes them.
  const isDescribed = (tool: string): boolean =>
    messages.some(({ content }) => String(content).includes(`- ${tool}: `))
  if (model === 'bad') return isDescribed('get_alerts') ? 'react bad' : 'solo-gen bad'
  const offered = tools.map((tool) => tool.function.name)
  const part = PARTS.find(([tool]) => offered.includes(tool))?.[1] ?? 'execution'
  return part === 'react' || part === 'solo-gen' ? `${part} ${model}` : part
}

/** The feature that one of them rejects. */
const refusalOf = ({ body: { model, stream, tools } }: ServerRequest): ServerAnswer | undefined => {
  if (model === 'plain' && stream === true) return { status: 400, message: 'stream is not supported' }
  if (model === 'bad' && tools !== undefined) return { status: 400, message: 'tools are not supported' }
  return undefined
}

export const createModelScript = () => {
  const left = new Map(Object.entries(SCRIPTS).map(([part, answers]) => [part, [...answers]]))
  const tokens = new Map<Asker, { input: number; output: number; cachedInput: number }>()

  const count = (part: string, request: ServerRequest) => {
    const asker = (part.includes(' ') ? part : 'think-remed') as Asker
    const input = Math.ceil(JSON.stringify(request.body).length / 4)
    const usage = { input, output: 40 + part.length, cachedInput: Math.floor(input / 3) }
    const before = tokens.get(asker) ?? { input: 0, output: 0, cachedInput: 0 }
    tokens.set(asker, {
      input: before.input + usage.input,
      output: before.output + usage.output,
      cachedInput: before.cachedInput + usage.cachedInput,
    })
    return usage
  }

  return {
    /** The reported tokens of each. */
    tokens,
    /** Parts with unused answers. */
    unsaid: (): string[] => [...left].filter(([, answers]) => answers.length > 0).map(([part]) => part),
    answer(request: ServerRequest): ServerAnswer {
      if (request.body.messages[0]?.content === CONTACT_REQUEST) return { text: 'OK', usage: null }
      const refused = refusalOf(request)
      if (refused !== undefined) return refused
      const part = partOf(request)
      const next = left.get(part)?.shift() ?? { status: 400, message: `${part} has said everything` }
      return 'status' in next || 'failure' in next ? next : { ...next, usage: count(part, request) }
    },
  }
}
