/** The KubeApi port without sockets or serialising: the same authorisation, admission and audit as over HTTP. */
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { cloneJson } from '../../kit/index.ts'
import type { ApiObject, KubeApi, ObjectRef, PodRef, ResourceRef, WriteChoices } from '../../spec/index.ts'
import { noSuchResource } from '../meta/index.ts'
import type { NodeDirectory, User } from '../ports/index.ts'
import type { Served } from '../resources/index.ts'
import type { ApiCall, Verb } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import type { Answer } from './perform.ts'
import { checkStarted, chooseContainer, findPod, readLogOptions, runtimeOf } from './serve-log.ts'
import { checkRunning } from './serve-upgrade.ts'

type Query = Record<string, string | number | boolean | undefined>

const toQuery = (query: Query): URLSearchParams => {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) parameters.set(key, String(value))
  return parameters
}

const writeQuery = ({ dryRun, fieldManager, force }: WriteChoices): Query => ({
  dryRun: dryRun === true ? 'All' : undefined,
  fieldManager,
  force,
})

/** Output gathered into one text. */
const collector = (): { stream: Writable; text(): string } => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

export const createInProcessApi = (service: ApiService, nodes: NodeDirectory, user: User): KubeApi => {
  const { core } = service

  const servedFor = ({ apiVersion, plural }: ResourceRef): Served => {
    const [first = '', second] = apiVersion.split('/')
    const served =
      second === undefined
        ? core.directory.find('', first, plural)
        : core.directory.find(first, second, plural)
    if (served === undefined) throw noSuchResource()
    return served
  }

  const callOf = (
    verb: Verb,
    ref: ResourceRef & { name?: string },
    query: Query = {},
    body?: unknown,
  ): ApiCall => ({
    user,
    verb,
    served: servedFor(ref),
    namespace: ref.namespace ?? '',
    name: ref.name ?? '',
    subresource: '',
    query: toQuery(query),
    userAgent: 'remedium',
    warnings: [],
    ...(body === undefined ? {} : { body: { value: body } }),
  })

  const perform = (call: ApiCall): Answer => {
    const { served, namespace, name, subresource } = call
    const place = [served.apiVersion, namespace, served.kind.plural, name, subresource].filter(
      (part) => part !== '',
    )
    return service.call(call, place.join('/'))
  }

  const objectOf = (answer: Answer): ApiObject => {
    if ('object' in answer) return answer.object as unknown as ApiObject
    throw new TypeError('the answer holds no single object')
  }

  const podTarget = ({ namespace, name }: PodRef, subresource: string) => ({
    group: '',
    version: 'v1',
    plural: 'pods',
    subresource,
    namespace,
    name,
  })

  return {
    get: async (ref) => objectOf(perform(callOf('get', ref))),
    async list(ref, options = {}) {
      const answer = perform(callOf('list', ref, { ...options }))
      if (!('list' in answer)) throw new TypeError('the answer holds no list')
      const { items, resourceVersion, continue: next } = answer.list
      return {
        items: items as unknown as ApiObject[],
        resourceVersion,
        ...(next === undefined ? {} : { continue: next }),
      }
    },
    async watch(ref, options, onEvent, onEnd) {
      const call = callOf('watch', ref, { ...options })
      let failure: Error | undefined
      service.admit(call, '')
      return service.watchAdmitted(call, {
        frame(frame) {
          if (frame.type === 'ERROR') failure = frame.error
          else if (frame.type !== 'BOOKMARK')
            onEvent({ type: frame.type, object: call.served.toServed(frame.object) as unknown as ApiObject })
        },
        end: () => onEnd(failure),
      })
    },
    create: async (ref, object, choices = {}) =>
      objectOf(
        perform({
          ...callOf('create', ref, writeQuery(choices), object),
          subresource: choices.subresource ?? '',
        }),
      ),
    update: async (ref, object, choices = {}) =>
      objectOf(
        perform({
          ...callOf('update', ref, writeQuery(choices), object),
          subresource: choices.subresource ?? '',
        }),
      ),
    patch: async (ref, kind, patch, choices = {}) =>
      objectOf(
        perform({
          ...callOf('patch', ref, writeQuery(choices), cloneJson(patch)),
          patchType: kind,
          subresource: choices.subresource ?? '',
        }),
      ),
    async delete(ref, { dryRun, ...choices } = {}) {
      perform(callOf('delete', ref, {}, { ...choices, ...(dryRun === true ? { dryRun: ['All'] } : {}) }))
    },
    async scale(ref: ObjectRef, replicas) {
      const call = callOf('patch', ref, {}, { spec: { replicas } })
      perform({ ...call, patchType: 'merge', subresource: 'scale' })
    },
    async evict({ namespace, name }) {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } }
      const ref = { apiVersion: 'v1', plural: 'pods', namespace, name }
      perform({ ...callOf('create', ref, {}, eviction), subresource: 'eviction' })
    },
    async logs(ref, choices = {}) {
      service.authorize(user, 'get', podTarget(ref, 'log'))
      const pod = findPod(core, ref.namespace, ref.name)
      const container = chooseContainer(pod, choices.container ?? null, false)
      const options = readLogOptions(toQuery({ ...choices, container: undefined }), core.clock.now())
      checkStarted(pod, container, options.previous)
      return text(await runtimeOf(nodes, pod).logs(pod, container, options))
    },
    async exec(ref, command, choices = {}) {
      service.authorize(user, 'create', podTarget(ref, 'exec'))
      const pod = findPod(core, ref.namespace, ref.name)
      const container = chooseContainer(pod, choices.container ?? null, true)
      checkRunning(pod, container)
      const [stdout, stderr] = [collector(), collector()]
      const { exitCode } = await runtimeOf(nodes, pod).exec(pod, container, {
        command,
        tty: false,
        stdin: choices.stdin === undefined ? new PassThrough().end() : Readable.from([choices.stdin]),
        stdout: stdout.stream,
        stderr: stderr.stream,
        signal: new AbortController().signal,
      })
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
    },
  }
}
