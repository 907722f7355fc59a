/** Tests the images of a topology: the program runs, and finds its slice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { SystemImage } from '#spec'
import { unpackRelease } from '#world/twin/ports'
import { defineTwinSystem } from './define-twin-system.ts'
import { parseTopology } from './parse-topology.ts'
import { loadSimulatedTwins } from './simulated-twins.ts'
import { toImages } from './to-images.ts'

const topology = parseTopology(
  `system: test
templates:
  shared: {listen: int(env.PORT), deploy: {image: 'shop/all:2.0.0', ports: [80], command: [serve]}}
services:
  red: {template: shared, endpoints: {GET /: {reply: '"red"'}}}
  red-wine: {template: shared, endpoints: {GET /: {reply: '"red wine"'}}}
  cart: {protocol: grpc, endpoints: {Get: }}
  db: {protocol: mysql}
`,
  'topology.yaml',
)

const findImage = (images: readonly SystemImage[], name: string): SystemImage =>
  images.find((image) => image.name === name)!

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const SERVICE_FILE = '/opt/remedium/service/service.bin'
const sliceFileOf = ({ files }: SystemImage): Buffer => Buffer.from(files![SERVICE_FILE]!())

/** Runs the program as in a pod with this name, and returns its response. */
const getResponse = async (pod: string, image: SystemImage): Promise<string> => {
  const { folders } = image
  const home = mkdtempSync(join(tmpdir(), 'twin-image-'))
  const port = await freePort()
  const program = join(folders!['/opt/remedium/twin']!, 'twin.cjs')
  const file = join(home, 'service.bin')
  writeFileSync(file, sliceFileOf(image))
  const env = { PATH: process.env.PATH, HOSTNAME: pod, PORT: String(port), REMEDIUM_SERVICE_FILE: file }
  const child = spawn(process.execPath, [program], { env, stdio: 'ignore' })
  try {
    const get = (): Promise<string> =>
      fetch(`http://127.0.0.1:${port}/`).then(
        (answer) => answer.text(),
        () => 'no answer',
      )
    await expect.poll(get, { interval: 50 }).not.toBe('no answer')
    return await get()
  } finally {
    child.kill()
    await once(child, 'exit')
    rmSync(home, { recursive: true })
  }
}

it('provides the simulated programs of an image after they were loaded, and always the same', async () => {
  const cart = findImage(toImages(topology), 'shop/all:2.0.0')
  await loadSimulatedTwins()
  const { simulated } = cart
  expect(simulated).toBe(cart.simulated)
  expect(simulated?.programs).toEqual({ '/usr/local/bin/serve': simulated?.main })
})

describe('images', () => {
  const images = toImages(topology)

  it('exist for each release, together with their files', () => {
    expect(images.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['shop/all:2.0.0', 'shop/all:1.9.0', 'test/cart:1.0.0', 'test/db:1.0.3']),
    )
    for (const { folders } of images) for (const path of Object.values(folders!)) accessSync(path)
    const cart = findImage(images, 'test/cart:1.0.0')
    accessSync(cart.folders!['/bin/grpc_health_probe']!, constants.X_OK)
    const slice = unpackRelease(sliceFileOf(cart))
    expect(slice).toMatchObject({ service: 'cart', release: '1.0.0', behaviour: { protocol: 'grpc' } })
  })

  it('start Node without a debugger that a signal opens', () => {
    for (const { entrypoint } of images) expect(entrypoint).toContain('--disable-sigusr1')
    const { folders } = findImage(images, 'shop/all:2.0.0')
    const scripts = [
      folders!['/usr/local/bin/serve']!,
      findImage(images, 'test/db:1.0.3').folders!['/usr/bin/mysql']!,
    ]
    for (const script of scripts) expect(readFileSync(script, 'utf8')).toContain('node --disable-sigusr1 ')
  })

  it('do not reveal the defect of a release in their files', () => {
    const filesOf = (repository: string): Buffer[] =>
      images.filter(({ name }) => name.startsWith(`${repository}:`)).map(sliceFileOf)
    for (const repository of ['shop/all', 'test/cart', 'test/db']) {
      const files = filesOf(repository)
      expect(files).toHaveLength(8)
      expect(new Set(files.map(({ length }) => length)).size).toBe(1)
      // Equal bytes at the same position would show where two releases differ.
      expect(new Set(files.map((file) => file.toString('latin1', file.length - 4))).size).toBe(8)
      for (const file of files) {
        const words = JSON.stringify(unpackRelease(file)).match(/[\w-]{4,}/g)!
        expect(words).toContain('behaviour')
        expect(words.filter((word) => file.includes(word))).toEqual([])
      }
    }
  })

  it('contain the commands that manifests run, as scripts that start the same program', () => {
    const script = findImage(images, 'shop/all:2.0.0').folders!['/usr/local/bin/serve']!
    accessSync(script, constants.X_OK)
    expect(readFileSync(script, 'utf8')).toContain('twin.cjs "$@"')
  })

  it('run the service that the pod is named after, if several share an image', async () => {
    const image = findImage(images, 'shop/all:2.0.0')
    expect(await getResponse('red-6d4f-x', image)).toBe('red')
    expect(await getResponse('red-wine-6d4f-x', image)).toBe('red wine')
  })
})

describe('the folder of a system', () => {
  let folder: string
  afterEach(() => rmSync(folder, { recursive: true }))

  const createSystemFolder = (journeys: string): string => {
    folder = mkdtempSync(join(tmpdir(), 'twin-system-'))
    const home = join(folder, 'shop')
    mkdirSync(join(home, 'services'), { recursive: true })
    writeFileSync(join(home, 'topology.yaml'), 'system: shop\n')
    writeFileSync(join(home, 'services', 'web.yaml'), 'endpoints: {GET /: {reply: 1}}\n')
    writeFileSync(join(home, 'journeys.yaml'), journeys)
    return home
  }

  it('defines a system with its journeys', () => {
    const system = defineTwinSystem(createSystemFolder('journeys: [{name: look, steps: [{request: GET /}]}]'))
    expect(system).toMatchObject({
      name: 'shop',
      namespace: 'shop',
      edges: [],
      entryPoints: [{ name: 'web' }],
    })
    expect(system.workload?.journeys[0]?.name).toBe('look')
    expect(system.images.map(({ name }) => name)).toContain('shop/web:1.0.0')
  })

  it('contains the trace of a replayed load, and is named in messages about mistakes', () => {
    const home = createSystemFolder(
      'journeys: [{name: look, steps: [{request: GET /}]}]\nload: {loop: open, arrivals: {kind: replay, file: day.csv}}',
    )
    expect(defineTwinSystem(home).workload?.load).toMatchObject({ arrivals: { file: join(home, 'day.csv') } })
    writeFileSync(join(home, 'journeys.yaml'), 'journeys: []')
    expect(() => defineTwinSystem(home)).toThrow('shop/journeys.yaml:1: journeys must have')
    writeFileSync(join(home, 'impact.yaml'), 'web: {}')
    rmSync(join(home, 'journeys.yaml'))
    expect(() => defineTwinSystem(home)).toThrow('shop/impact.yaml:1: web.down is missing')
    writeFileSync(join(home, 'services', 'web.yaml'), 'endpionts: {}')
    expect(() => defineTwinSystem(home)).toThrow('shop/services/web.yaml:1: endpionts is not a known field')
  })

  it('is rejected if a journey names an unknown entry point', () => {
    const home = createSystemFolder(
      'journeys:\n- name: look\n  steps:\n  - request: GET /\n    entryPoint: wep',
    )
    expect(() => defineTwinSystem(home)).toThrow(
      'shop/journeys.yaml:5: journeys[0].steps[0].entryPoint names "wep", which is not an entry point; did you mean "web"?',
    )
  })

  it('is rejected if its topology has another name or is missing', () => {
    const home = createSystemFolder('journeys: [{name: look, steps: [{request: GET /}]}]')
    writeFileSync(join(home, 'topology.yaml'), 'system: stop\n')
    expect(() => defineTwinSystem(home)).toThrow(
      'shop/topology.yaml:1: system is "stop", but the folder is "shop"',
    )
    rmSync(join(home, 'topology.yaml'))
    expect(() => defineTwinSystem(home)).toThrow('shop/topology.yaml is missing')
    mkdirSync(join(home, 'topology.yaml'))
    expect(() => defineTwinSystem(home)).toThrow('shop/topology.yaml cannot be read: EISDIR')
  })

  it('is rejected if a file in services/ is not named after a service', () => {
    const home = createSystemFolder('journeys: [{name: look, steps: [{request: GET /}]}]')
    writeFileSync(join(home, 'services', 'cart.yml'), 'protocol: grpc')
    expect(() => defineTwinSystem(home)).toThrow('shop/services/cart.yml must be named after its service')
  })

  it('can have services in folders below services/, each only once', () => {
    const home = createSystemFolder('journeys: [{name: look, steps: [{request: GET /}]}]')
    const subfolder = join(home, 'services', 'goods')
    mkdirSync(subfolder)
    writeFileSync(join(subfolder, 'cart.yaml'), 'endpoints: {GET /cart: {reply: \'"empty"\'}}')
    const { manifests } = defineTwinSystem(home)
    expect(manifests).toContainEqual(
      expect.objectContaining({ kind: 'Deployment', metadata: expect.objectContaining({ name: 'cart' }) }),
    )
    writeFileSync(join(home, 'services', 'cart.yaml'), 'endpoints: {}')
    expect(() => defineTwinSystem(home)).toThrow(
      'shop/services/goods/cart.yaml is a second file of the service "cart", in addition to services/cart.yaml',
    )
  })
})
