/** PodTemplate. */
import type { PodTemplate } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'
import { defaultTemplate } from './pod-spec-defaults.ts'
import { validateTemplate } from './pod-template-validation.ts'
import { labelsText, nameColumn, textColumn } from './standard-columns.ts'
import { containerCells } from './workload-columns.ts'

export const podTemplates = defineKind<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  singular: 'podtemplate',
  namespaced: true,
  hasStatus: false,
  returnsDeleted: true,
  defaults(object) {
    object.template = defaultTemplate(object.template)
  },
  validate: ({ template }) => validateTemplate(template ?? {}, 'template'),
  columns: [
    nameColumn,
    textColumn('Containers', 'Names of the containers.'),
    textColumn('Images', 'Images the containers run.'),
    textColumn('Pod Labels', 'Labels of the pods made from it.'),
  ],
  row: ({ metadata, template }) => [
    metadata.name,
    ...containerCells(template?.spec),
    labelsText(template?.metadata?.labels),
  ],
})
