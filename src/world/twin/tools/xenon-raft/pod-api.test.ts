/** Tests the pod API of xenon against the embedded API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import { createPodApi } from './pod-api.ts'

test('lists and labels pods', async () => {
  const clock = createRealClock()
  const random = createRandom('xenon')
  const cluster = createCluster({
    clock,
    random,
    runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
  })
  const listening = await cluster.listen()
  const account = mkdtempSync(join(tmpdir(), 'account-'))
  try {
    writeFileSync(join(account, 'token'), listening.token)
    writeFileSync(join(account, 'ca.crt'), listening.certificateAuthority)
    writeFileSync(join(account, 'namespace'), 'default')
    const options = { host: '127.0.0.1', port: listening.port, account, selector: 'app=db' }
    const pods = createPodApi(options)
    expect(await pods.members()).toEqual([])
    await expect(pods.label('db-0', 'leader')).rejects.toThrow('404')
    const admin = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
    const ref = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }
    const createPod = (name: string, app: string) =>
      admin.create(ref, {
        metadata: { name, labels: { app } },
        spec: { containers: [{ name: 'mysql', image: 'a' }] },
      })
    // Fails until a controller has created the service account that admission assigns.
    await expect
      .poll(() => createPod('db-0', 'db').catch((error: Error) => error.message))
      .toMatchObject({ kind: 'Pod' })
    await createPod('other', 'other')
    await pods.label('db-0', 'leader')
    expect(await pods.members()).toMatchObject([{ name: 'db-0', role: 'leader' }])
  } finally {
    rmSync(account, { recursive: true })
    await listening.close()
    await cluster.stop()
  }
})
