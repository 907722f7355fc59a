/** The program of a twin in a simulated container. */
import type { ServiceSlice, SimulatedProgram } from '#spec'
import { type CompiledBehaviour, compileBehaviour } from '#world/twin/behaviour'
import type { ImageContent } from '#world/twin/ports'
import { chooseSlice, runTwin, StartFailure } from '#world/twin/program'
import { createSimulatedTwinHost } from './create-simulated-twin-host.ts'

/** All twins of a service share its compiled behaviour. */
const compiled = new WeakMap<ServiceSlice, CompiledBehaviour>()

const compile = (slice: ServiceSlice): CompiledBehaviour => {
  const existing = compiled.get(slice)
  if (existing !== undefined) return existing
  const created = compileBehaviour(slice)
  compiled.set(slice, created)
  return created
}

const slicesOf = (content: ImageContent): readonly ServiceSlice[] =>
  'service' in content ? [content] : content

/** Runs the service of the image that has the name of the pod. Exits with code 1 if the service cannot start. */
export const runSimulatedTwin =
  (content: ImageContent): SimulatedProgram =>
  async (host) => {
    const { environment: env, args, termination } = host
    const slice = chooseSlice(slicesOf(content), env.HOSTNAME ?? '')
    const code = await runTwin({
      host: createSimulatedTwinHost(host),
      env,
      args,
      termination,
      ...(slice === undefined ? {} : { compiled: compile(slice) }),
      readSlice: () => {
        if (slice === undefined) throw new StartFailure('the image has no service')
        return slice
      },
    })
    host.exit(code)
  }
