/** Probes the cause of one fault, and records the observation. */
import { RemediumError } from '#spec'
import type { EpisodeContext } from '../episode-context.ts'
import type { InjectedFault } from './fault-switch.ts'

/** A probe that takes longer, such as one of a stopped program, has failed. */
const PROBE_TIMEOUT_MS = 5000
const MAX_REASON_CHARACTERS = 300

type ProbeInputs = Pick<EpisodeContext, 'equipment' | 'log'> & {
  readonly injection: Pick<EpisodeContext['injection'], 'contextOf'>
}

/**
 * A probe may fail temporarily, for example while a pod is recreated; it is then repeated. The solver can make it fail
 * permanently, so the failure is recorded, unless the laboratory itself failed.
 */
export const probeCause = async (
  { equipment, log, injection }: ProbeInputs,
  injected: InjectedFault,
): Promise<void> => {
  const { fault, index, state } = injected
  const context = injection.contextOf(injected)
  const controller = new AbortController()
  const signal = AbortSignal.any([context.signal, controller.signal])
  const timeout = equipment.time.sleep(PROBE_TIMEOUT_MS, signal).then(() => {
    throw new Error(`no answer within ${PROBE_TIMEOUT_MS / 1000} s`)
  })
  try {
    const facts = await Promise.race([fault.probe!({ ...context, signal }, state), timeout])
    log.add({ type: 'cause-probed', index, facts })
  } catch (error) {
    if (error instanceof RemediumError) return
    log.add({
      type: 'cause-probed',
      index,
      facts: {},
      failed: (error as Error).message.slice(0, MAX_REASON_CHARACTERS),
    })
  } finally {
    controller.abort(new Error('the probe of the cause has ended'))
  }
}
