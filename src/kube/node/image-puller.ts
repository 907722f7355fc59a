/** Has the image of a container on the node, by its pull policy, with pauses after failures. */
import type { ContainerStateWaiting, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../meta/index.ts'
import type { BackOff } from './back-off.ts'
import { type ContainerRecord, fieldPathOf } from './container-record.ts'
import type { KubeletContext } from './kubelet-context.ts'

/** How an attempt ended: nothing where the image is there, else the reason why the container waits. */
type ImageReply = (failure: ContainerStateWaiting | undefined) => void

const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const HOST =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?'
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
)

const parseProblem = (image: string): string | undefined => {
  if (REFERENCE.test(image)) return undefined
  const name = image.split(/[:@]/)[0]!
  const hint =
    name.toLowerCase() !== name && !name.includes('/')
      ? `: repository name (library/${name}) must be lowercase`
      : ''
  return `couldn't parse image name "${image}": invalid reference format${hint}`
}

const seconds = (milliseconds: number): string =>
  milliseconds >= 1000 ? `${milliseconds / 1000}s` : `${milliseconds}ms`

/** A container that needs its image. */
export interface ImageRequest {
  pod: Stored<Pod>
  record: ContainerRecord
  /** False once the kubelet has let go of the pod: then a failure is nothing to remember. */
  isWanted(): boolean
}

export interface ImagePuller {
  /** Replies exactly once; at once where nothing needs to be pulled. */
  ensure(request: ImageRequest, reply: ImageReply): void
  /** Drops what is remembered of a pod that is gone. */
  forget(uid: string): void
}

export const createImagePuller = (context: KubeletContext, backOff: BackOff): ImagePuller => {
  const { clock, events, runtime } = context
  const failures = new Map<string, { at: number; message: string }>()

  const pull = ({ pod, record, isWanted }: ImageRequest, key: string, reply: ImageReply): void => {
    const image = record.spec.image ?? ''
    const say = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
      events.record(pod, type, reason, message, fieldPathOf(record))
    say('Normal', 'Pulling', `Pulling image "${image}"`)
    const begun = clock.now()
    runtime.pullImage(image, (outcome) => {
      if (!isWanted()) return reply(undefined)
      const now = clock.now()
      if (outcome.ok) {
        failures.delete(key)
        const took = seconds(now - begun)
        say(
          'Normal',
          'Pulled',
          `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${outcome.value.size} bytes.`,
        )
        return reply(undefined)
      }
      const { message } = outcome.error
      backOff.next(key, now, now)
      failures.set(key, { at: now, message: `ErrImagePull: ${message}` })
      say('Warning', 'Failed', `Failed to pull image "${image}": ${message}`)
      say('Warning', 'Failed', 'Error: ErrImagePull')
      reply({ reason: 'ErrImagePull', message })
    })
  }

  return {
    ensure(request, reply) {
      const { pod, record } = request
      const image = record.spec.image ?? ''
      const say = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
        events.record(pod, type, reason, message, fieldPathOf(record))
      const fail = (reason: string, message: string): void => {
        say('Warning', 'Failed', `Error: ${reason}`)
        reply({ reason, message })
      }
      const problem = parseProblem(image)
      if (problem !== undefined) {
        const message = `Failed to apply default image tag "${image}": ${problem}`
        say('Warning', 'InspectFailed', message)
        return fail('InvalidImageName', message)
      }
      const policy = record.spec.imagePullPolicy ?? 'IfNotPresent'
      const present = runtime.hasImage(image)
      if (present && policy !== 'Always') {
        say('Normal', 'Pulled', `Container image "${image}" already present on machine`)
        return reply(undefined)
      }
      if (policy === 'Never') {
        const message = `Container image "${image}" is not present with pull policy of Never`
        say('Warning', 'ErrImageNeverPull', message)
        return fail('ErrImageNeverPull', message)
      }
      const key = `${pod.metadata.uid}/${image}`
      const failure = failures.get(key)
      if (failure !== undefined && backOff.isWaiting(key, failure.at, clock.now())) {
        const message = `Back-off pulling image "${image}"`
        say('Normal', 'BackOff', message)
        return fail('ImagePullBackOff', `${message}: ${failure.message}`)
      }
      pull(request, key, reply)
    },
    forget(uid) {
      backOff.forget(uid)
      for (const key of failures.keys()) if (key.startsWith(`${uid}/`)) failures.delete(key)
    },
  }
}
