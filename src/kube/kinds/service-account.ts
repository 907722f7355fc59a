/** ServiceAccount. */
import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

export const serviceAccounts = defineKind<ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  hasStatus: false,
  returnsDeleted: true,
  columns: [nameColumn, textColumn('Secrets', 'Number of secrets that its pods may use.'), ageColumn],
  row: (account, context) => [account.metadata.name, account.secrets?.length ?? 0, ageCell(account, context)],
})
