/** Runs playbooks and shell commands in process, instead of Ansible and a sandbox. */
import { defined, type Random, type VirtualClock } from '#kit'
import { interpretPlaybook } from '#platform/interpret'
import type { Cluster } from '#platform/kube/simulated'
import { createCommands } from '#platform/kubectl'
import { createTemplates, UnsafeValue } from '#platform/templates'
import {
  type EngineCommandResult,
  type RunEngineCommand,
  type RunEnginePlaybook,
  UnsupportedCommand,
} from '#spec'

export interface RunnerOptions {
  readonly clock: VirtualClock
  readonly cluster: Pick<Cluster, 'discovery'>
  readonly random: Random
}

export const createPlaybookRunner = ({ clock, cluster, random }: RunnerOptions): RunEnginePlaybook => {
  const { discovery } = cluster
  const templates = createTemplates({ now: () => clock.now(), random: random.fork('templates') })
  return async ({ text, api, namespace, groups, timeoutMs, signal, onTask }) => {
    const { ok, output, tasks, milliseconds, unsupported } = await interpretPlaybook(
      text,
      {
        api,
        discovery,
        clock,
        templates,
        markUnsafe: (value) => new UnsafeValue(value),
        commands: createCommands({ api, discovery, clock, namespace }),
        groups,
        timeoutMs,
      },
      defined({ signal, onTask }),
    )
    return { ok, output, tasks, milliseconds, ...defined({ unsupported }) }
  }
}

/** Why a command was stopped. */
class CommandStopped extends Error {}

export const createCommandRunner =
  ({ clock, cluster }: RunnerOptions): RunEngineCommand =>
  async ({ command, api, namespace, timeoutMs, signal }): Promise<EngineCommandResult> => {
    const commands = createCommands({ api, discovery: cluster.discovery, clock, namespace })
    const controller = new AbortController()
    const abort = (): void => controller.abort(new CommandStopped('it was aborted'))
    const timer = clock.after(timeoutMs, () =>
      controller.abort(new CommandStopped(`it took longer than ${timeoutMs / 1000} s`)),
    )
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    const nothing = { exitCode: 137, stdout: '', stderr: '' }
    try {
      return await commands.run({ command, stdin: '', signal: controller.signal })
    } catch (error) {
      if (error instanceof UnsupportedCommand) return { ...nothing, unsupported: error.message }
      if (error instanceof CommandStopped) return { ...nothing, failure: error.message }
      throw error
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', abort)
    }
  }
