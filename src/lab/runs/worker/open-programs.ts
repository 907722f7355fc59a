/** Opens the programs that agents run: playbooks, and a shell if there is one. */
import {
  enginePlaybooks,
  engineShell,
  type Playbooks,
  type Shell,
  sandboxPlaybooks,
  sandboxShell,
} from '#examinee/aci'
import { defined, lazily } from '#kit'
import type { Sandbox } from '#machine/sandbox'
import type { EngineCluster } from '#spec'

/** Creates the sandbox on first use: many episodes end without one. */
const createLazySandbox = ({ server, connectSandbox }: EngineCluster, kubectl: string | undefined) => {
  let creating: Promise<Sandbox> | undefined
  return {
    get: (): Promise<Sandbox> => {
      // Imported here, because the module loads only on Linux.
      creating ??= import('#machine/sandbox').then(({ createSandbox }) =>
        createSandbox({
          server,
          dial: connectSandbox,
          ...defined({ tools: kubectl === undefined ? undefined : { kubectl } }),
        }),
      )
      return creating
    },
    async close(): Promise<void> {
      const sandbox = await creating?.catch(() => undefined)
      await sandbox?.close()
    },
  }
}

export interface ProgramTools {
  readonly playbooks: Playbooks
  /** Absent if the engine runs playbooks only. */
  readonly shell?: Shell
  close(): Promise<void>
}

/** An engine that runs playbooks itself has no server that a sandbox could reach. */
export const openPrograms = (cluster: EngineCluster, kubectl: string | undefined): ProgramTools => {
  const { runPlaybook, runShell } = cluster
  if (runPlaybook !== undefined)
    return {
      playbooks: enginePlaybooks(runPlaybook),
      ...defined({ shell: runShell && engineShell(runShell) }),
      async close() {},
    }
  const sandbox = createLazySandbox(cluster, kubectl)
  return {
    playbooks: { run: async (request) => sandboxPlaybooks(await sandbox.get()).run(request) },
    shell: { run: async (request) => sandboxShell(await sandbox.get()).run(request) },
    close: lazily(() => sandbox.close()),
  }
}
