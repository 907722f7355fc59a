/** The answers of the language models in a live run: one is right, one cannot stream, one is wrong and then fails. */
import type { ServerAnswer, ServerRequest } from '#examinee/models/testing'
import { CONTACT_REQUEST } from '#lab/launch'

export const PRICE = { input: 3, output: 15, cachedInput: 0.3 }

/** The contenders of the run: an agent, and its main model if it runs with several. */
export type ContenderKey = 'solo-gen good' | 'solo-gen bad' | 'think-remed' | 'react good' | 'react bad'

const toPlaybook = (...tasks: readonly string[]): string =>
  `- hosts: localhost\n  connection: local\n  gather_facts: false\n  tasks:\n${tasks.map((task) => `    - ${task}\n`).join('')}`

/** Deletes the pod. The new pod is healthy, because the stress process runs in the container of the old one. */
export const REPLACE = toPlaybook(
  'kubernetes.core.k8s_info: {kind: Pod, namespace: simple-micro, label_selectors: [app=hello-service]}\n      register: found',
  "kubernetes.core.k8s: {state: absent, kind: Pod, namespace: simple-micro, name: '{{ found.resources[0].metadata.name }}', delete_options: {gracePeriodSeconds: 1}}",
)
export const RESTART = toPlaybook(
  'kubernetes.core.k8s: {state: patched, api_version: apps/v1, kind: Deployment, namespace: simple-micro, name: hello-service, definition: {spec: {template: {metadata: {annotations: {kubectl.kubernetes.io/restartedAt: now}}}}}}',
)
export const LOOK_ONLY = toPlaybook('kubernetes.core.k8s_info: {kind: Pod, namespace: simple-micro}')
export const BROKEN = toPlaybook(
  'kubernetes.core.k8s_scale: {api_version: apps/v1, kind: Deployment, namespace: simple-micro, name: helo-service, replicas: 2}',
)

const call = (name: string, input: object = {}) => ({ name, input })
const runPlaybook = (text: string, playbook: string): ServerAnswer => ({
  text,
  calls: [call('run_playbook', { playbook })],
})

/** The answers to each part of an agent, in order. */
const SCRIPTS: Readonly<Record<string, readonly ServerAnswer[]>> = {
  'solo-gen good': [runPlaybook('I replace the pod under CPU stress.', REPLACE)],
  'solo-gen bad': [{ text: `More replicas will help.\n\`\`\`yaml\n${BROKEN}\`\`\`` }],
  coordinator: [
    {
      text: 'I need to know which pod is affected.',
      calls: [call('probe', { question: 'Which pod uses all of its CPU limit?' })],
    },
    runPlaybook('I check the pods again.', LOOK_ONLY),
    runPlaybook('Reading the pods repaired nothing. I replace the pod.', REPLACE),
  ],
  probe: [
    { calls: [call('get_metrics', { service: 'hello-service' })] },
    { calls: [call('report', { summary: 'The pod of hello-service is at its CPU limit.' })] },
  ],
  execution: [{ text: 'It read pods and changed nothing.' }],
  verification: [
    { calls: [call('give_verdict', { healthy: false, evidence: 'nothing was changed' })] },
    { calls: [call('give_verdict', { healthy: true, evidence: 'latencies are normal again' })] },
  ],
  'react good': [
    { status: 429, headers: { 'retry-after': '1' } },
    {
      text: 'Which alerts are active?',
      calls: [call('get_alerts'), call('get_objects', { kind: 'Pod' })],
    },
    runPlaybook('I restart hello-service.', RESTART),
    { text: 'The alerts are gone.', calls: [call('submit')] },
  ],
  'react bad': Array.from({ length: 9 }, () => ({ status: 503, headers: { 'retry-after': '3600' } })),
}

/** The part of an agent that offers a tool; the first tool found decides. */
const PARTS_BY_TOOL: readonly (readonly [tool: string, part: string])[] = [
  ['give_verdict', 'verification'],
  ['report', 'probe'],
  ['probe', 'coordinator'],
  ['get_alerts', 'react'],
  ['run_playbook', 'solo-gen'],
]

const partOf = ({ body: { model, tools = [], messages } }: ServerRequest): string => {
  // Without a tool interface, the tools are described in a message.
  const isDescribed = (tool: string): boolean =>
    messages.some(({ content }) => String(content).includes(`- ${tool}: `))
  if (model === 'bad') return isDescribed('get_alerts') ? 'react bad' : 'solo-gen bad'
  const offered = tools.map((tool) => tool.function.name)
  const part = PARTS_BY_TOOL.find(([tool]) => offered.includes(tool))?.[1] ?? 'execution'
  return part === 'react' || part === 'solo-gen' ? `${part} ${model}` : part
}

/** The error of a model that does not support a requested feature. */
const rejectionOf = ({ body: { model, stream, tools } }: ServerRequest): ServerAnswer | undefined => {
  if (model === 'plain' && stream === true) return { status: 400, message: 'stream is not supported' }
  if (model === 'bad' && tools !== undefined) return { status: 400, message: 'tools are not supported' }
  return undefined
}

export const createModelScript = () => {
  const remaining = new Map(Object.entries(SCRIPTS).map(([part, answers]) => [part, [...answers]]))
  const tokens = new Map<ContenderKey, { input: number; output: number; cachedInput: number }>()

  const countTokens = (part: string, request: ServerRequest) => {
    const key = (part.includes(' ') ? part : 'think-remed') as ContenderKey
    const input = Math.ceil(JSON.stringify(request.body).length / 4)
    const usage = { input, output: 40 + part.length, cachedInput: Math.floor(input / 3) }
    const before = tokens.get(key) ?? { input: 0, output: 0, cachedInput: 0 }
    tokens.set(key, {
      input: before.input + usage.input,
      output: before.output + usage.output,
      cachedInput: before.cachedInput + usage.cachedInput,
    })
    return usage
  }

  return {
    /** The reported tokens of each contender. */
    tokens,
    /** Parts with unused answers. */
    unused: (): string[] => [...remaining].filter(([, answers]) => answers.length > 0).map(([part]) => part),
    answer(request: ServerRequest): ServerAnswer {
      if (request.body.messages[0]?.content === CONTACT_REQUEST) return { text: 'OK', usage: null }
      const rejection = rejectionOf(request)
      if (rejection !== undefined) return rejection
      const part = partOf(request)
      const next = remaining.get(part)?.shift() ?? {
        status: 400,
        message: `the script of ${part} has no more answers`,
      }
      return 'status' in next || 'failure' in next ? next : { ...next, usage: countTokens(part, request) }
    },
  }
}
