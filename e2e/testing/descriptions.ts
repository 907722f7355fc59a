/** Runs kubectl describe, and normalises its output for comparison with that of a real cluster. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Kubectl } from '#lab/tools'
import type { ListeningCluster } from '#platform/kube'
import { normaliseAges } from './normalise.ts'

export const describeWithKubectl = async (
  kubectl: Kubectl,
  server: ListeningCluster,
  kind: string,
  name: string,
): Promise<string> => {
  const home = mkdtempSync(join(tmpdir(), 'remedium-describe-'))
  try {
    writeFileSync(join(home, 'kubeconfig'), server.kubeconfig)
    const { stdout } = await promisify(execFile)(kubectl.path, ['describe', kind, name], {
      env: { HOME: home, KUBECONFIG: join(home, 'kubeconfig') },
    })
    return stdout
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Returns the normalised lines, without the current state of containers, which depends on timing. */
export const linesOfDescription = (text: string): Set<string> =>
  new Set(
    normaliseAges(text)
      .replace(/(Restart Count: +)\d+/g, '$1N')
      .replace(/^ +State: [\s\S]*?(?=^ +Ready:)/gm, '')
      .split('\n')
      .map((line) => line.trim().replace(/ +/g, ' '))
      .filter((line) => line !== '' && !/^-[- ]*$/.test(line)),
  )
