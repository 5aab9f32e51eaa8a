//! Memory of a module that lives in short calls. Nothing that a call allocates outlives it, so
//! blocks are never given back one by one: the allocator moves forward, and starts again when the
//! outermost call has ended. A general allocator and all the code that gives blocks back would be
//! a quarter of the module.

#![expect(unsafe_code, reason = "an allocator is made of it")]

use core::{
    alloc::{GlobalAlloc, Layout},
    cell::Cell,
};

const PAGE: usize = 65536;

pub struct Memory {
    /// Address at which the next block may begin; 0 before the first.
    next: Cell<usize>,
    /// End of the module's memory.
    end: Cell<usize>,
    /// Address to start again at; 0 as long as everything is kept.
    start: Cell<usize>,
    /// Calls into the module that have not ended: site code may call back in.
    depth: Cell<usize>,
}

impl Memory {
    pub const fn new() -> Self {
        Self {
            next: Cell::new(0),
            end: Cell::new(0),
            start: Cell::new(0),
            depth: Cell::new(0),
        }
    }

    /// Keeps for ever what is allocated by now.
    pub fn keep(&self) {
        self.start.set(self.next.get());
    }

    /// A call into the module begins.
    pub fn enter(&self) {
        self.depth.set(self.depth.get() + 1);
    }

    /// A call into the module ends.
    ///
    /// # Safety
    /// Of the blocks allocated since [`Memory::keep`] none is in use once the outermost call has
    /// ended: no static and no result holds one.
    pub unsafe fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
        if self.depth.get() == 0 && self.start.get() > 0 {
            self.next.set(self.start.get());
        }
    }

    /// Moves forward to `next`, which memory is grown to hold.
    #[inline(never)]
    fn advance(&self, next: usize) {
        if self.end.get() == 0 {
            self.end.set(core::arch::wasm32::memory_size(0) * PAGE);
        }
        if next > self.end.get() {
            let pages = (next - self.end.get()).div_ceil(PAGE);
            // Out of memory: the call traps, which is all that could be done about it.
            if core::arch::wasm32::memory_grow(0, pages) == usize::MAX {
                core::arch::wasm32::unreachable();
            }
            self.end.set(self.end.get() + pages * PAGE);
        }
        self.next.set(next);
    }
}

// SAFETY: wasm32 without atomics, the only target of this module, has a single thread.
unsafe impl Sync for Memory {}

unsafe extern "C" {
    /// The linker's first address after data and stack.
    static __heap_base: u8;
}

// SAFETY: blocks lie one after another above the linker's heap base, aligned, within memory that
// has been grown to hold them; none is handed out twice before `leave`, whose caller answers for
// the rest.
unsafe impl GlobalAlloc for Memory {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut at = self.next.get();
        if at == 0 {
            at = (&raw const __heap_base).addr();
        }
        at = (at + layout.align() - 1) & !(layout.align() - 1);
        self.advance(at + layout.size());
        core::ptr::without_provenance_mut(at)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A text that grows is usually the last block.
        if block.addr() + layout.size() == self.next.get() {
            self.advance(block.addr() + size);
            return block;
        }
        // SAFETY: the layout is the caller's with its new size; the new block does not overlap.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            core::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
            new
        }
    }
}
