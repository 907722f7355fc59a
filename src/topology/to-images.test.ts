/** The images of a topology hold a program that runs by itself, and what it is to be. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { SystemImage } from '../spec/index.ts'
import { unpackRelease } from '../twin/ports/index.ts'
import { defineTwinSystem } from './define-twin-system.ts'
import { parseTopology } from './parse-topology.ts'
import { toImages } from './to-images.ts'

const topology = parseTopology(
  `system: test
templates:
  shared: {listen: int(env.PORT), deploy: {image: 'shop/all:2.0.0', ports: [80], command: [serve]}}
services:
  red: {template: shared, endpoints: {GET /: {reply: '"red"'}}}
  red-wine: {template: shared, endpoints: {GET /: {reply: '"red wine"'}}}
  cart: {wire: grpc, endpoints: {Get: }}
  db: {wire: mysql}
`,
  'topology.yaml',
)

const find = (images: readonly SystemImage[], name: string): SystemImage =>
  images.find((image) => image.name === name)!

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** What the program answers in a pod of this name. */
const answerIn = async (pod: string, { folders }: SystemImage): Promise<string> => {
  const port = await freePort()
  const program = join(folders!['/opt/remedium/twin']!, 'twin.cjs')
  const file = join(folders!['/opt/remedium/service']!, 'service.bin')
  const env = { PATH: process.env.PATH, HOSTNAME: pod, PORT: String(port), REMEDIUM_SERVICE_FILE: file }
  const child = spawn(process.execPath, [program], { env, stdio: 'ignore' })
  try {
    const ask = (): Promise<string> =>
      fetch(`http://127.0.0.1:${port}/`).then(
        (answer) => answer.text(),
        () => 'no answer',
      )
    await expect.poll(ask, { interval: 50 }).not.toBe('no answer')
    return await ask()
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

describe('images', () => {
  const images = toImages(topology)

  it('are one for each release, with files that are there', () => {
    expect(images.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['shop/all:2.0.0', 'shop/all:1.9.0', 'test/cart:1.0.0', 'test/db:1.0.3']),
    )
    for (const { folders } of images) for (const path of Object.values(folders!)) accessSync(path)
    const { folders } = find(images, 'test/cart:1.0.0')
    accessSync(folders!['/bin/grpc_health_probe']!, constants.X_OK)
    const slice = unpackRelease(readFileSync(join(folders!['/opt/remedium/service']!, 'service.bin')))
    expect(slice).toMatchObject({ service: 'cart', release: '1.0.0', behaviour: { wire: 'grpc' } })
  })

  it('tell by no file of theirs what is wrong with a release', () => {
    const filesOf = (repository: string): Buffer[] =>
      images
        .filter(({ name }) => name.startsWith(`${repository}:`))
        .map(({ folders }) => readFileSync(join(folders!['/opt/remedium/service']!, 'service.bin')))
    for (const repository of ['shop/all', 'test/cart', 'test/db']) {
      const files = filesOf(repository)
      expect(files).toHaveLength(8)
      expect(new Set(files.map(({ length }) => length)).size).toBe(1)
      // What they have in common would show where they differ, and so how long the difference is.
      expect(new Set(files.map((file) => file.toString('latin1', file.length - 4))).size).toBe(8)
      for (const file of files) {
        const words = JSON.stringify(unpackRelease(file)).match(/[\w-]{4,}/g)!
        expect(words).toContain('behaviour')
        expect(words.filter((word) => file.includes(word))).toEqual([])
      }
    }
  })

  it('have the command that manifests run instead of the program, which is the same program', () => {
    const script = find(images, 'shop/all:2.0.0').folders!['/usr/local/bin/serve']!
    accessSync(script, constants.X_OK)
    expect(readFileSync(script, 'utf8')).toContain('twin.cjs "$@"')
  })

  it('are the service after which the pod is named, where several share one', async () => {
    const image = find(images, 'shop/all:2.0.0')
    expect(await answerIn('red-6d4f-x', image)).toBe('red')
    expect(await answerIn('red-wine-6d4f-x', image)).toBe('red wine')
  })
})

describe('a folder', () => {
  let folder: string
  afterEach(() => rmSync(folder, { recursive: true }))

  const put = (journeys: string): string => {
    folder = mkdtempSync(join(tmpdir(), 'twin-system-'))
    const home = join(folder, 'shop')
    mkdirSync(join(home, 'services'), { recursive: true })
    writeFileSync(join(home, 'topology.yaml'), 'system: shop\n')
    writeFileSync(join(home, 'services', 'web.yaml'), 'endpoints: {GET /: {reply: 1}}\n')
    writeFileSync(join(home, 'journeys.yaml'), journeys)
    return home
  }

  it('is a system, with its journeys', () => {
    const system = defineTwinSystem(put('journeys: [{name: look, steps: [{request: GET /}]}]'))
    expect(system).toMatchObject({
      name: 'shop',
      namespace: 'shop',
      edges: [],
      entryPoints: [{ name: 'web' }],
    })
    expect(system.workload?.journeys[0]?.name).toBe('look')
    expect(system.images.map(({ name }) => name)).toContain('shop/web:1.0.0')
  })

  it('is refused where a journey goes through a door that is not there', () => {
    const home = put('journeys:\n- name: look\n  steps:\n  - request: GET /\n    entryPoint: wep')
    expect(() => defineTwinSystem(home)).toThrow(
      'journeys.yaml:5: journeys[0].steps[0].entryPoint names "wep", which is no entry point; did you mean "web"?',
    )
  })

  it('is refused under another name, and without a topology', () => {
    const home = put('journeys: [{name: look, steps: [{request: GET /}]}]')
    writeFileSync(join(home, 'topology.yaml'), 'system: stop\n')
    expect(() => defineTwinSystem(home)).toThrow(
      'topology.yaml:1: system is "stop", and its folder is "shop"',
    )
    rmSync(join(home, 'topology.yaml'))
    expect(() => defineTwinSystem(home)).toThrow('shop/topology.yaml is missing')
    mkdirSync(join(home, 'topology.yaml'))
    expect(() => defineTwinSystem(home)).toThrow('shop/topology.yaml cannot be read: EISDIR')
  })

  it('is refused with a file of a service that would be passed over', () => {
    const home = put('journeys: [{name: look, steps: [{request: GET /}]}]')
    writeFileSync(join(home, 'services', 'cart.yml'), 'wire: grpc')
    expect(() => defineTwinSystem(home)).toThrow('shop/services/cart.yml must be called as its service is')
  })
})
