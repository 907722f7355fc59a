/** Tests of `remedium cluster up` without a cluster. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runCommand } from '../../testing/run-command.ts'

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-up-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Listens on a free port until the end of the test. */
const occupyPort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it.each([
  [['--name', 'lab'], '--name requires --system or real containers.'],
  [
    ['--system', 'simple-micro', '--telemetry', 'x.sqlite'],
    '--telemetry requires --system and real containers.',
  ],
])('rejects %j with simulated containers', async (args, sentence) => {
  const { code, out, err } = await runCommand('cluster', 'up', '--engine', 'sim', ...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(sentence)
})

describe('a kubeconfig that cannot be written', () => {
  it('is rejected with simulated containers before the server listens', async () => {
    const folder = makeFolder()
    const kubeconfig = join(folder, 'mine')
    writeFileSync(kubeconfig, 'another kubeconfig')
    // A server that listened first would fail because of the port.
    const port = String(await occupyPort())
    const files = ['--kubeconfig', kubeconfig, '--audit-log', join(folder, 'audit.log')]
    const { code, out, err } = await runCommand('cluster', 'up', '--engine', 'sim', '--port', port, ...files)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`The kubeconfig cannot be written to ${kubeconfig}: the file exists.`)
    expect(readdirSync(folder)).toEqual(['mine'])
  })

  it.runIf(process.platform === 'linux')(
    'is rejected with real containers before anything starts',
    async () => {
      const folder = makeFolder()
      vi.stubEnv('REMEDIUM_STATE', join(folder, 'state'))
      onTestFinished(() => void vi.unstubAllEnvs())
      const kubeconfig = join(folder, 'no/such/folder/file')
      const { code, out, err } = await runCommand('cluster', 'up', '--kubeconfig', kubeconfig)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(`The kubeconfig cannot be written to ${kubeconfig}: `)
      expect(existsSync(join(folder, 'state'))).toBe(false)
    },
  )
})
