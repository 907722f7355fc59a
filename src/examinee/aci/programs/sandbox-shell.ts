/** Runs the commands of exec_shell in a sandbox with kubectl. */
import { defined } from '#kit'
import type { Sandbox } from '#machine/sandbox'
import type { Shell } from '../ports.ts'

/** Links the kubeconfig to its default path, unless the agent has put a file there. */
const PREPARE_AND_RUN =
  '{ mkdir -p ~/.kube && ln -s /input/kubeconfig ~/.kube/config; } 2> /dev/null; exec /bin/sh -c "$1"'

export const sandboxShell = (sandbox: Sandbox): Shell => ({
  async run({ command, kubeconfig, timeoutMs, signal }) {
    const { exitCode, stdout, stderr, failure } = await sandbox.run({
      command: ['/bin/sh', '-c', PREPARE_AND_RUN, 'sh', command],
      files: { kubeconfig },
      environment: { KUBECONFIG: '/input/kubeconfig', HOME: '/work', LANG: 'C.UTF-8' },
      limits: { timeoutMs },
      signal,
    })
    return { exitCode, stdout, stderr, ...defined({ failure }) }
  },
})
