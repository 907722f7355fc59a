/** Needs root: tests the catalogue, and its programs in real containers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCgroups } from '#machine/linux'
import { fullImageName } from '#platform/kube/meta'
import { createRuntimeFixture, type RuntimeFixture } from '../testing/runtime-fixture.ts'
import { wellKnownImages } from './well-known-images.ts'

describe('the catalogue', () => {
  it.each([
    'busybox',
    'busybox:1.28',
    'nginx:1.25',
    'nginx:1.14.2',
    'curlimages/curl:8.4.0',
    'python:3.12-slim',
  ])('has %s', (image) => expect(wellKnownImages(fullImageName(image))).toBeDefined())
  it.each(['busybox:1.999', 'nginx:1.25-typo', 'ngnix:1.25', 'registry.example/nginx:1.25', 'toString'])(
    'has no %s',
    (image) => expect(wellKnownImages(fullImageName(image))).toBeUndefined(),
  )
  it.each(['nginx', 'httpd'])('runs %s without a debugger that a signal opens', (image) => {
    expect(wellKnownImages(fullImageName(image))?.entrypoint).toContain('--disable-sigusr1')
  })
})

describe('programs of the catalogue', () => {
  let fixture: RuntimeFixture
  beforeEach(() => {
    fixture = createRuntimeFixture()
  })
  afterEach(() => fixture.close())

  it('serve pages, log requests and stop gracefully', async () => {
    const web = await fixture.start({ image: 'nginx:1.27' })
    await expect.poll(web.logs, { timeout: 5000 }).toContain('ready on port 80')
    const client = { name: 'client', image: 'curlimages/curl:8.4.0', args: ['-si', 'http://127.0.0.1/'] }
    const curl = await fixture.start(client, { inPodOf: web })
    expect(await curl.exit).toMatchObject({ exitCode: 0 })
    expect(await web.logs()).toMatch(/127\.0\.0\.1 - - \[.* \+0000\] "GET \/ HTTP\/1\.1" 200 \d+ "-" "curl\//)
    fixture.runtime.stopContainer(web.started.id, 5000)
    expect(await web.exit).toMatchObject({ exitCode: 0, reason: 'Completed' })
  })

  it('run the Node.js of the engine, and Python', async () => {
    expect((await fixture.shell('', { image: 'node:24', args: ['-p', 'process.version'] })).output).toBe(
      `${process.version}\n`,
    )
    expect(
      (await fixture.shell('', { image: 'python:3.12', args: ['python3', '-c', 'print(6*7)'] })).output,
    ).toBe('42\n')
  })

  it('have no shell if the image has none', async () => {
    await expect(fixture.start({ image: 'pause:latest', command: ['sh', '-c', 'true'] })).rejects.toThrow(
      'exec: "sh": executable file not found in $PATH',
    )
  })

  it('include a pause program that ends on SIGTERM', async () => {
    const { pod, started, exit } = await fixture.start({ image: 'registry.k8s.io/pause:3.9' })
    const { cgroup } = fixture.runtime.processes.find(pod.metadata.uid)!.containers[0]!
    // The program has set its trap once it waits for a child.
    await expect.poll(() => createCgroups().pids(cgroup).length).toBe(2)
    fixture.runtime.stopContainer(started.id, 5000)
    expect(await exit).toMatchObject({ exitCode: 0 })
  })
})
