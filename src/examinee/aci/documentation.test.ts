/** Tests that docs/actions.md lists all actions with their fields. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '#kit'
import { ACTIONS } from './action-registry.ts'

const DOCUMENT = join(REPOSITORY, 'docs', 'actions.md')

const readDocumentedActions = (): unknown[] =>
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `([a-z_]+)` \| (yes|no) \| (.+?) \| .+ \|$/gm)].map(
    ([, name, changes, input]) => ({
      name,
      isReadOnly: changes === 'no',
      fields: [...input!.matchAll(/`([a-z_]+)(\??)`/g)].map(([, field, optional]) => `${field}${optional}`),
    }),
  )

it('lists the same actions, in the same order', () => {
  expect(readDocumentedActions()).toEqual(
    ACTIONS.map(({ name, isReadOnly, input }) => ({
      name,
      isReadOnly,
      fields: Object.entries(input.shape).map(
        ([field, schema]) => `${field}${schema.safeParse(undefined).success ? '?' : ''}`,
      ),
    })),
  )
})
