/** Tests of logs and streams at the API server: validation, audit and metrics. */
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { ContainerRuntime, LogOptions } from '#platform/kube/ports'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'
import { runningStatus, runPod } from '../testing/run-pod.ts'

const POD = '/api/v1/namespaces/default/pods/p'

let api: TestApi
let requested: { containers: string[]; logs: LogOptions[] }

beforeEach(async () => {
  requested = { containers: [], logs: [] }
  const runtime: Partial<ContainerRuntime> = {
    async exec(_pod, container) {
      requested.containers.push(container)
      return { exitCode: 0 }
    },
    async logs(_pod, _container, options) {
      requested.logs.push(options)
      return Readable.from(['line\n'])
    },
  }
  api = await createTestApi({
    nodes: { runtimeOf: () => runtime as ContainerRuntime },
    allows: ({ user, resource }) => user.username === 'admin' || resource?.subresource !== 'exec',
  })
})

afterEach(async () => {
  await api.close()
  expect(api.unexpected).toEqual([])
})

/** Opens a stream, waits for its end and returns the status code of the handshake. */
const upgrade = async (path: string, user = 'admin', protocol = 'v4.channel.k8s.io'): Promise<number> => {
  const headers = { Authorization: `Bearer ${user}`, 'User-Agent': 'test/1.0' }
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}${path}`, protocol, { headers })
  let code = 101
  socket.on('unexpected-response', (_request, response) => {
    code = response.statusCode ?? 0
    response.destroy()
    socket.terminate()
  })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.on('close', resolve))
  return code
}

it('counts streams as CONNECT in the metrics', async () => {
  runPod(api.resources.client)
  expect(await upgrade(`${POD}/exec?command=true&stdout=true`)).toBe(101)
  expect((await api.send('/metrics')).text).toContain(
    'apiserver_request_total{code="0",component="apiserver",dry_run="",group="",resource="pods",scope="resource",subresource="exec",verb="CONNECT",version="v1"} 1',
  )
})

describe('the audit log of streams', () => {
  it('records every command, including rejected ones', async () => {
    runPod(api.resources.client)
    const path = `${POD}/exec?command=cat&command=%2Fetc%2Fpasswd&stdout=true`
    expect(await upgrade(path)).toBe(101)
    expect(await upgrade(path, 'eve')).toBe(403)
    expect(await upgrade(`${POD}/attach?stdout=true&container=none`)).toBe(400)
    expect(await upgrade(path, 'admin', 'v9.nonsense')).toBe(403)
    expect((await api.send(path, { method: 'POST' })).code).toBe(400)
    const records = api.audit.events()
    expect(
      records.map(({ verb, user, objectRef, responseStatus }) =>
        [verb, user.username, objectRef.subresource, responseStatus.code].join(' '),
      ),
    ).toEqual([
      'get admin exec 101',
      'get eve exec 403',
      'get admin attach 400',
      'get admin exec 403',
      'create admin exec 400',
    ])
    expect(records[0]).toMatchObject({ requestURI: path, userAgent: 'test/1.0' })
  })
})

describe('streams into containers', () => {
  it('reach ephemeral containers', async () => {
    runPod(api.resources.client, {}, { ephemeralContainerStatuses: [runningStatus('debug')] })
    const update = { spec: { ephemeralContainers: [{ name: 'debug', image: 'i' }] } }
    const patched = await api.send(`${POD}/ephemeralcontainers`, {
      method: 'PATCH',
      body: update,
      headers: { 'Content-Type': 'application/strategic-merge-patch+json' },
    })
    expect(patched.code).toBe(200)
    expect(await upgrade(`${POD}/exec?command=sh&stdout=true&container=debug`)).toBe(101)
    expect(requested.containers).toEqual(['debug'])
  })
})

describe('logs', () => {
  it('start at sinceTime, and reject an invalid one', async () => {
    runPod(api.resources.client)
    const getLogSince = (time: string) => api.send(`${POD}/log?sinceTime=${encodeURIComponent(time)}`)
    expect((await getLogSince('2026-01-01T00:00:01+01:00')).code).toBe(200)
    expect((await getLogSince('')).code).toBe(200)
    expect(requested.logs.map(({ sinceTime }) => sinceTime)).toEqual([
      Date.UTC(2025, 11, 31, 23, 0, 1),
      undefined,
    ])
    expect((await getLogSince('yesterday')).json).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    })
    expect((await getLogSince('2026-13-01T00:00:00Z')).json.message).toBe(
      'parsing time "2026-13-01T00:00:00Z": month out of range',
    )
  })
})
