/** Ensures that a container's image is present, following its pull policy, with back-off after failures. */
import type { ContainerStateWaiting, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { KubeletContext } from '../kubelet-context.ts'
import type { BackOff } from './back-off.ts'
import { type ContainerRecord, fieldPathOf } from './container-record.ts'

/** Receives undefined if the image is present or no longer needed, otherwise why the container waits. */
type ImageReply = (failure: ContainerStateWaiting | undefined) => void

const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const HOST =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?'
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
)

const findNameProblem = (image: string): string | undefined => {
  if (REFERENCE.test(image)) return undefined
  const name = image.split(/[:@]/)[0]!
  const hint =
    name.toLowerCase() !== name && !name.includes('/')
      ? `: repository name (library/${name}) must be lowercase`
      : ''
  return `couldn't parse image name "${image}": invalid reference format${hint}`
}

const durationText = (milliseconds: number): string =>
  milliseconds >= 1000 ? `${milliseconds / 1000}s` : `${milliseconds}ms`

/** A container that needs its image. */
export interface ImageRequest {
  pod: Stored<Pod>
  record: ContainerRecord
  /** False once the kubelet has released the pod; failures are not recorded after that. */
  isNeeded(): boolean
}

export interface ImagePuller {
  /** Replies exactly once, synchronously if no pull is needed. */
  ensure(request: ImageRequest, reply: ImageReply): void
  /** Drops the recorded failures of a deleted pod. */
  forget(uid: string): void
}

export const createImagePuller = (context: KubeletContext, backOff: BackOff): ImagePuller => {
  const { clock, events, runtime } = context
  const failures = new Map<string, { at: number; message: string }>()

  const pull = ({ pod, record, isNeeded }: ImageRequest, key: string, reply: ImageReply): void => {
    const image = record.spec.image ?? ''
    const recordEvent = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
      events.record(pod, type, reason, message, fieldPathOf(record))
    recordEvent('Normal', 'Pulling', `Pulling image "${image}"`)
    const startedAt = clock.now()
    runtime.pullImage(image, (outcome) => {
      if (!isNeeded()) return reply(undefined)
      const now = clock.now()
      if (outcome.ok) {
        failures.delete(key)
        const duration = durationText(now - startedAt)
        recordEvent(
          'Normal',
          'Pulled',
          `Successfully pulled image "${image}" in ${duration} (${duration} including waiting). Image size: ${outcome.value.size} bytes.`,
        )
        return reply(undefined)
      }
      const { message } = outcome.error
      backOff.next(key, now, now)
      failures.set(key, { at: now, message: `ErrImagePull: ${message}` })
      recordEvent('Warning', 'Failed', `Failed to pull image "${image}": ${message}`)
      recordEvent('Warning', 'Failed', 'Error: ErrImagePull')
      reply({ reason: 'ErrImagePull', message })
    })
  }

  return {
    ensure(request, reply) {
      const { pod, record } = request
      const image = record.spec.image ?? ''
      const recordEvent = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
        events.record(pod, type, reason, message, fieldPathOf(record))
      const fail = (reason: string, message: string): void => {
        recordEvent('Warning', 'Failed', `Error: ${reason}`)
        reply({ reason, message })
      }
      const problem = findNameProblem(image)
      if (problem !== undefined) {
        const message = `Failed to apply default image tag "${image}": ${problem}`
        recordEvent('Warning', 'InspectFailed', message)
        return fail('InvalidImageName', message)
      }
      const policy = record.spec.imagePullPolicy ?? 'IfNotPresent'
      const present = runtime.hasImage(image)
      if (present && policy !== 'Always') {
        recordEvent('Normal', 'Pulled', `Container image "${image}" already present on machine`)
        return reply(undefined)
      }
      if (policy === 'Never') {
        const message = `Container image "${image}" is not present with pull policy of Never`
        recordEvent('Warning', 'ErrImageNeverPull', message)
        return fail('ErrImageNeverPull', message)
      }
      const key = `${pod.metadata.uid}/${image}`
      const failure = failures.get(key)
      if (failure !== undefined && backOff.isWaiting(key, failure.at, clock.now())) {
        const message = `Back-off pulling image "${image}"`
        recordEvent('Normal', 'BackOff', message)
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
