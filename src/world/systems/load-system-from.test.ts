/** Tests that a system is loaded from its folder, and that a broken folder is reported. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadSystemFrom } from './load-system-from.ts'

/** Creates a root with the folder `shop`; `text` is the content of its `system.ts`. */
const createRoot = (text?: string): string => {
  const root = mkdtempSync(join(tmpdir(), 'systems-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'shop'))
  if (text !== undefined) writeFileSync(join(root, 'shop', 'system.ts'), text)
  return root
}

const DEFINE_TWIN_SYSTEM = new URL('../topology/define-twin-system.ts', import.meta.url).href

describe('loadSystemFrom', () => {
  it('loads the system of a folder without building its images', async () => {
    const root = createRoot(
      "let built = 0\nexport const system = { name: 'shop', get images() { built += 1; return [built] }, drawReleases: (secret) => ({ images: [secret] }) }",
    )
    const system = await loadSystemFrom(root, 'shop')
    expect(system.images).toEqual([1])
    expect(system.drawReleases!('a')).toEqual({ images: ['a'] })
  })

  it.each([
    ['without system.ts', undefined, /system\.ts/],
    ['whose system.ts throws', "throw new Error('no manifests')", /: no manifests$/],
    ['whose system.ts does not parse', 'export const system = {', /./],
    [
      'whose system.ts exports no system',
      'export const shop = {}',
      /must export the system "shop" as "system"\.$/,
    ],
    [
      'whose system has another name',
      "export const system = { name: 'stop' }",
      /must export the system "shop"/,
    ],
  ])('rejects a folder %s with an error that names the folder', async (_, text, reason) => {
    const loading = loadSystemFrom(createRoot(text), 'shop')
    await expect(loading).rejects.toMatchObject({
      code: 'bad-file',
      blame: 'operator',
      message: expect.stringMatching(/^The system in \S+\/shop cannot be loaded: /),
      hint: expect.stringContaining('CONTRIBUTING.md'),
    })
    await expect(loading).rejects.toThrow(reason)
  })

  it('reports a mistake in the topology with file and line', async () => {
    const root = createRoot(
      `import { defineTwinSystem } from '${DEFINE_TWIN_SYSTEM}'\nexport const system = defineTwinSystem(import.meta.dirname)`,
    )
    writeFileSync(join(root, 'shop', 'topology.yaml'), 'system: shop\nservices:\n  web: {replicas: 2}\n')
    await expect(loadSystemFrom(root, 'shop')).rejects.toMatchObject({
      code: 'bad-file',
      message:
        'shop/topology.yaml:3: services.web.replicas is not a known field here; it belongs under "deploy"',
    })
  })

  it('reports images that cannot be built as a mistake in the folder', async () => {
    const root = createRoot(
      "const fail = () => { throw new Error('no program') }\nexport const system = { name: 'shop', get images() { return fail() }, drawReleases: fail }",
    )
    const system = await loadSystemFrom(root, 'shop')
    const expected = expect.objectContaining({
      code: 'bad-file',
      message: expect.stringMatching(/shop cannot be loaded: no program$/),
    })
    expect(() => system.images).toThrow(expected)
    expect(() => system.drawReleases!('a')).toThrow(expected)
  })
})
