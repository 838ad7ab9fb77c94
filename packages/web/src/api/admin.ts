import type { Host, Notice, NoticeSet, OwnLimits, TemplateCreate } from '@slipway/contract'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

/** What operators watch changes without events of theirs. */
const watchEveryMs = 3_000

/** The accounts of the installation, newest first, a page at a time. */
export function useAccounts(search: string) {
  const query = useInfiniteQuery({
    queryKey: [...keyOf('adminAccount.list'), search],
    queryFn: ({ pageParam, signal }) =>
      call('adminAccount.list', {
        query: { ...(search && { search }), ...(pageParam && { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  })
  return {
    accounts: query.data?.pages.flatMap(({ accounts }) => accounts) ?? [],
    loading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : null,
    loadingMore: query.isFetchingNextPage,
  }
}

const accountKey = (accountId: string) => keyOf('adminAccount.get', { accountId })

/** One account, with what it uses and its limits. */
export function useAccount(accountId: string) {
  return useQuery({
    queryKey: accountKey(accountId),
    queryFn: ({ signal }) => call('adminAccount.get', { params: { accountId }, signal }),
  })
}

const useAccountChange = <Input>(
  accountId: string,
  change: (input: Input) => ReturnType<typeof call<'adminAccount.get'>>,
) =>
  useMutation({
    mutationFn: change,
    onSuccess(account) {
      queryClient.setQueryData(accountKey(accountId), account)
      void queryClient.invalidateQueries({ queryKey: keyOf('adminAccount.list') })
    },
    // Somebody else may have done it meanwhile.
    onError: () => void queryClient.invalidateQueries({ queryKey: accountKey(accountId) }),
  })

export const useDisableAccount = (accountId: string) =>
  useAccountChange(accountId, () => call('adminAccount.disable', { params: { accountId } }))

export const useEnableAccount = (accountId: string) =>
  useAccountChange(accountId, () => call('adminAccount.enable', { params: { accountId } }))

export const useRemoveTotpOf = (accountId: string) =>
  useAccountChange(accountId, () => call('adminAccount.removeTotp', { params: { accountId } }))

export const useSetLimits = (accountId: string) =>
  useAccountChange(accountId, (body: OwnLimits) =>
    call('adminAccount.setLimits', { params: { accountId }, body }),
  )

/** The long operations of all projects that run or wait. */
export function useAllOperations() {
  return useQuery({
    queryKey: keyOf('operation.listAll'),
    queryFn: ({ signal }) => call('operation.listAll', { signal }),
    refetchInterval: watchEveryMs,
  })
}

export function useCancelAnyOperation() {
  return useMutation({
    mutationFn: (operationId: string) => call('operation.cancelAny', { params: { operationId } }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: keyOf('operation.listAll') }),
  })
}

/** How the server is. */
export function useHealth() {
  return useQuery({
    queryKey: keyOf('health.get'),
    queryFn: ({ signal }) => call('health.get', { signal }),
    refetchInterval: watchEveryMs,
  })
}

const catalogueKey = keyOf('template.listAll')
const templatesChanged = (): void => {
  void queryClient.invalidateQueries({ queryKey: catalogueKey })
  void queryClient.invalidateQueries({ queryKey: keyOf('template.list') })
}

/** All templates, those that are not offered included. */
export function useCatalogue() {
  return useQuery({
    queryKey: catalogueKey,
    queryFn: ({ signal }) => call('template.listAll', { signal }),
  })
}

/** Retires a template, offers it again or deletes it. */
export function useTemplateAct(what: 'retire' | 'offer' | 'delete') {
  return useMutation({
    mutationFn: async ({ templateId, forGood }: { templateId: string; forGood: boolean }) =>
      void (await (what === 'delete' && forGood
        ? call('template.delete', { params: { templateId }, query: { for_good: 'true' } })
        : call(`template.${what}`, { params: { templateId } }))),
    // Somebody else may have done it meanwhile.
    onSettled: templatesChanged,
  })
}

export function useUpdateTemplate(templateId: string) {
  return useMutation({
    mutationFn: (body: TemplateCreate) => call('template.update', { params: { templateId }, body }),
    onSettled: () => {
      templatesChanged()
      void queryClient.invalidateQueries({ queryKey: keyOf('template.startScript', { templateId }) })
    },
  })
}

/** What the host has and what takes it. */
export function useCapacity() {
  return useQuery({
    queryKey: keyOf('health.capacity'),
    queryFn: ({ signal }) => call('health.capacity', { signal }),
    refetchInterval: watchEveryMs,
  })
}

const showNotice = (notice: Notice | null) =>
  void queryClient.setQueryData<Host>(keyOf('host.get'), (host) => host && { ...host, notice })

/** Tells everybody something. */
export function useSetNotice() {
  return useMutation({ mutationFn: (body: NoticeSet) => call('notice.set', { body }), onSuccess: showNotice })
}

export function useRemoveNotice() {
  return useMutation({
    mutationFn: () => call('notice.remove'),
    onSuccess: () => showNotice(null),
    // Somebody else may have done it meanwhile.
    onError: () => void queryClient.invalidateQueries({ queryKey: keyOf('host.get') }),
  })
}
