//! The instruction sets that kernels of several games are compiled for.
//!
//! A *token* is a value of no size that exists only on machines with every feature of its
//! instruction set, so holding one proves that the instructions are available. Each set lists its
//! features once, so detection checks exactly those that the compiled functions enable.
#![allow(unsafe_code)]

/// Work that is compiled once for each instruction set.
pub trait Work {
    /// What the work returns.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`, as is what they call in loops: code
    /// takes on the instructions of the function that it is inlined into.
    fn run(self) -> Self::Output;
}

/// Passes the features of [`Avx2`] to a macro, and what follows.
macro_rules! with_avx2 {
    ($to:ident! $($rest:tt)*) => {
        $to! { ["avx2" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)* }
    };
}
/// Passes the features of [`Avx512`] to a macro, and what follows. `avx512f` enables `avx2`, `fma`
/// and `f16c`, which are therefore detected, too.
macro_rules! with_avx512 {
    ($to:ident! $($rest:tt)*) => {
        $to! {
            ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi" "avx512vbmi2" "avx512bitalg"
             "avx512vpopcntdq" "gfni" "avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt"]
            $($rest)*
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use {with_avx2, with_avx512};

/// Declares a constant that names the features, for people.
macro_rules! needs {
    ([$first:literal $($feature:literal)*] $name:ident) => {
        /// The features that the kernels need, for messages.
        pub const $name: &str = concat!("x86-64 with ", $first $(, ", ", $feature)*);
    };
}
with_avx2! { needs! AVX2_NEEDS }
with_avx512! { needs! AVX512_NEEDS }

/// Declares the token of an instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! token {
    ([$($feature:tt)*] $(#[$doc:meta])* $token:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $token(());

        impl $token {
            /// The token, where the machine has every feature; the standard library detects them
            /// once.
            pub fn new() -> Option<Self> {
                let here = $(std::arch::is_x86_feature_detected!($feature))&&*;
                here.then_some(Self(()))
            }

            /// Runs `work` compiled for this instruction set.
            #[inline(always)]
            pub fn run<W: Work>(self, work: W) -> W::Output {
                #[target_feature($(enable = $feature),*)]
                fn compiled<W: Work>(work: W) -> W::Output {
                    work.run()
                }
                // SAFETY: the token exists, so `new` has found every feature that `compiled`
                // enables: both come from one list.
                unsafe { compiled(work) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
with_avx2! { token! /// AVX2 and BMI: vectors of 256 bits, bits of a word deposited and extracted.
Avx2 }
#[cfg(target_arch = "x86_64")]
with_avx512! { token! /// AVX-512 as of Ice Lake and Zen 4: vectors of 512 bits.
Avx512 }

/// Does `work`, compiled for AVX2 where the machine has it.
#[inline(always)]
pub fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::new() {
        return avx2.run(work);
    }
    work.run()
}

/// Methods of an instruction set for a token, a line each: `name(arguments) -> result = body;`.
///
/// `methods! { [features] isa: Token, Vector; … }`: `isa` is the token in every body, and what has
/// no type is a `Vector`. Each body is in a function that enables the features, so that its
/// intrinsics are safe to call; the compiler rejects those of other features, and those that read
/// or write through pointers. Without features, bodies are in the methods themselves.
macro_rules! methods {
    ($features:tt $isa:ident: $token:ty, $vector:ty; $(
        $(#[$attribute:meta])*
        $name:ident $(<$constant:ident: $of:ty>)? ($($argument:ident $(: $type:ty)?),*)
        $(-> $result:ty)? = $body:expr;
    )*) => {$(
        $crate::games::kernels::method! {
            $features
            $(#[$attribute])* $name [$(<const $constant: $of>)?] [$(::<$constant>)?]
            ($isa: $token $(, $argument: $crate::games::kernels::or_else!($vector $(, $type)?))*)
            -> $crate::games::kernels::or_else!($vector $(, $result)?) = $body
        }
    )*};
}
macro_rules! method {
    ([] $(#[$attribute:meta])* $name:ident [$($generic:tt)*] [$($given:tt)*]
        ($isa:ident: $token:ty $(, $argument:ident: $type:ty)*) -> $result:ty = $body:expr) => {
        $(#[$attribute])*
        #[inline(always)]
        fn $name $($generic)* (self $(, $argument: $type)*) -> $result {
            #[allow(unused_variables)]
            let $isa = self;
            $body
        }
    };
    ([$($feature:tt)*] $(#[$attribute:meta])* $name:ident [$($generic:tt)*] [$($given:tt)*]
        ($isa:ident: $token:ty $(, $argument:ident: $type:ty)*) -> $result:ty = $body:expr) => {
        $(#[$attribute])*
        #[inline(always)]
        fn $name $($generic)* (self $(, $argument: $type)*) -> $result {
            #[inline]
            #[target_feature($(enable = $feature),*)]
            #[allow(unused_variables)]
            fn compiled $($generic)* ($isa: $token $(, $argument: $type)*) -> $result {
                $body
            }
            // SAFETY: `self` is a token of these features, which exists only where the machine has
            // what `compiled` enables; its body is safe where they are enabled.
            #[allow(unused_unsafe)]
            unsafe {
                compiled $($given)* (self $(, $argument)*)
            }
        }
    };
}
/// The second type where there is one, else the first.
macro_rules! or_else {
    ($default:ty) => {
        $default
    };
    ($default:ty, $type:ty) => {
        $type
    };
}

/// Operators of the bits of `N` words and their assignments, by the methods of the type.
macro_rules! operators {
    ($type:ident<$isa:path>:
        $($operator:ident::$name:ident, $assign:ident::$assign_name:ident = $method:ident;)*) => {$(
        impl<I: $isa, const N: usize> std::ops::$operator for $type<I, N> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.$method(other)
            }
        }

        impl<I: $isa, const N: usize> std::ops::$assign for $type<I, N> {
            #[inline(always)]
            fn $assign_name(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    )*};
}
pub(crate) use {method, methods, operators, or_else};
