import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { IconButton } from '../ui/Button.tsx'
import { Sidebar } from './Sidebar.tsx'

/** The sidebar on phones. */
export function Drawer({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim transition-opacity duration-160 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0 md:hidden" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-30 w-[min(300px,calc(100vw-52px))] border-r border-line bg-ground shadow-lift outline-none transition-[opacity,translate] duration-160 ease-out data-[ending-style]:-translate-x-2 data-[ending-style]:opacity-0 data-[starting-style]:-translate-x-2 data-[starting-style]:opacity-0 md:hidden">
          <Dialog.Title className="sr-only">Menu</Dialog.Title>
          <Sidebar />
          <Dialog.Close
            render={<IconButton label="Close menu" icon={<X size={18} strokeWidth={1.6} />} />}
            className="absolute top-2 right-2"
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
