/** Tests of the three phases of admission. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze } from '#kit'
import { configMaps } from '#platform/kube/kinds'
import { badRequest } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'
import { createObject } from './create-object.ts'
import { createResources, type Resources } from './resources.ts'
import { rejection, USER } from './testing/create-test-resources.ts'
import { updateObject } from './update-object.ts'

const CONTEXT = { user: USER, manager: 'tester' }

let steps: string[]
let resources: Resources

/** Records its calls; rejects objects named `bad`. */
const createRecordingPlugin = (name: string): AdmissionPlugin => ({
  name,
  admit: ({ operation }) => steps.push(`${name} admits ${operation}`),
  validate(request) {
    if (request.name === 'bad') throw badRequest(`${name} rejects`)
    steps.push(`${name} validates`)
  },
  commit: () => steps.push(`${name} commits`),
})

beforeEach(() => {
  steps = []
  resources = createResources({
    clock: createVirtualClock(),
    random: createRandom('admission'),
    admission: [createRecordingPlugin('a'), createRecordingPlugin('b')],
    store: { seal: deepFreeze },
  })
})

const draft = (name: string) => ({ metadata: { name, namespace: 'default' } }) as never
const createConfigMap = (name: string, dryRun = false) =>
  createObject(resources, configMaps, draft(name), { ...CONTEXT, dryRun })
const listCommits = (): string[] => steps.filter((step) => step.endsWith('commits'))

describe('admission', () => {
  it('calls admit, then validate, then commit of all plugins', () => {
    createConfigMap('a')
    expect(steps).toEqual([
      'a admits CREATE',
      'b admits CREATE',
      'a validates',
      'b validates',
      'a commits',
      'b commits',
    ])
  })

  it('does not commit rejected, duplicate, unchanged or dry-run writes', () => {
    const created = createConfigMap('a')
    steps = []
    expect(rejection(() => createConfigMap('bad'))).toBe('400 BadRequest: a rejects')
    expect(rejection(() => createConfigMap('a'))).toContain('409 AlreadyExists')
    createConfigMap('b', true)
    const update = (fields: object, dryRun = false) =>
      updateObject(
        resources,
        { kind: configMaps, object: { ...structuredClone(created), ...fields }, old: created },
        { ...CONTEXT, dryRun },
      )
    update({})
    update({ data: { k: 'v' } }, true)
    expect(listCommits()).toEqual([])
    update({ data: { k: 'v' } })
    expect(listCommits()).toEqual(['a commits', 'b commits'])
  })
})
