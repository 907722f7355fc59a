/** Tests playbooks that the engine of the cluster runs. */
import { expect, it, vi } from 'vitest'
import type { EnginePlaybook, KubeApi } from '#spec'
import { createPlaybookRunner } from './create-playbook-runner.ts'
import { runOnEngine } from './run-on-engine.ts'

const RESULT = { ok: true, output: 'done', milliseconds: 1500, tasks: [] }
const PLAYBOOK = `
- hosts: localhost
  tasks:
    - kubernetes.core.k8s_scale: {api_version: apps/v1, kind: Deployment, name: cart, namespace: shop, replicas: 2}
`
const api = {} as KubeApi

it('vets a playbook, and passes it to the engine with the rights and the inventory of the agent', async () => {
  const run = vi.fn(async ({ onTask }: EnginePlaybook) => {
    onTask?.({ play: 'p', task: 't', outcome: 'changed' })
    return RESULT
  })
  const runner = createPlaybookRunner({ runOnEngine: run, api, namespace: 'shop' })
  const [onTask, onVetted] = [vi.fn(), vi.fn()]
  expect(await runner.run(PLAYBOOK, { onTask, onVetted })).toEqual({
    ...RESULT,
    isRefused: false,
    findings: [],
  })
  expect(run).toHaveBeenCalledWith(
    expect.objectContaining({ text: PLAYBOOK, api, namespace: 'shop', timeoutMs: 120_000 }),
  )
  expect(run.mock.calls[0]![0].groups).not.toContain('localhost')
  expect(onTask).toHaveBeenCalledWith({ play: 'p', task: 't', outcome: 'changed' })
  expect(onVetted).toHaveBeenCalledOnce()
  const refused = await runner.run(PLAYBOOK.replace('namespace: shop', 'namespace: kube-system'))
  expect(refused).toMatchObject({ ok: false, isRefused: true })
  expect(run).toHaveBeenCalledOnce()
})

it('fails as unsupported, or as a defect of the engine, but never as the solver', async () => {
  const playbook = { text: PLAYBOOK, api, namespace: 'shop', groups: [], timeoutMs: 1 }
  const unsupported = { ...RESULT, ok: false, unsupported: 'the module apt' }
  await expect(runOnEngine(async () => unsupported, playbook)).rejects.toMatchObject({
    code: 'unsupported',
    blame: 'harness',
    message: 'The engine cannot run the playbook: the module apt.',
  })
  const failing = runOnEngine(async () => Promise.reject(new TypeError('x is undefined')), playbook)
  await expect(failing).rejects.toMatchObject({ code: 'defect', blame: 'harness' })
})
